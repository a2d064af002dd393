// What is wrong with a page of a screen, as far as it can be measured: a list of sentences. Only the topmost layer is
// looked at, as a person can only use that one. Lengths are points.
() => {
  const TARGET = 44, ROUNDING = 1, LONG = 24;
  // Its name gives way to the title.
  const WAY_BACK = ".bar > .button:has(> svg) > span";
  const layers = document.querySelectorAll("main > .layer");
  const top = layers.length ? layers[layers.length - 1] : document.body;
  const phone = document.body.getBoundingClientRect();
  const faults = [];

  const name = (element) => {
    const text = element.getAttribute("aria-label") || element.placeholder || element.textContent || "";
    return `${element.className || element.tagName.toLowerCase()} "${text.trim().replace(/\s+/g, " ").slice(0, 50)}"`;
  };
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // The box of the letters: a font's own box is higher, and differs from font to font.
  const letters = (rect) => ({
    left: rect.left, right: rect.right,
    top: rect.top + rect.height / 4, bottom: rect.bottom - rect.height / 4,
  });
  const sticksOut = (inner, outer) =>
    inner.left < outer.left - ROUNDING || inner.right > outer.right + ROUNDING
    || inner.top < outer.top - ROUNDING || inner.bottom > outer.bottom + ROUNDING;
  const overlap = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > ROUNDING
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > ROUNDING;

  const limiting = (element) => {
    while (element && getComputedStyle(element).webkitLineClamp === "none") element = element.parentElement;
    return element;
  };

  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [node, element] = [walker.currentNode, walker.currentNode.parentElement];
    if (!node.data.trim() || !isSeen(element) || element.matches(WAY_BACK)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let lines = [...range.getClientRects()].filter((rect) => rect.width > 0).map(letters);
    // What is beyond a limit of lines is not drawn.
    const limit = limiting(element)?.getBoundingClientRect();
    if (limit) lines = lines.filter((line) => line.bottom <= limit.bottom + ROUNDING);
    texts.push({ element, node, lines });
  }
  const controls = [...top.querySelectorAll("button, input, select, textarea, a[href], [role=button], [role=switch]")]
    .filter(isSeen).map((element) => ({ element, lines: [element.getBoundingClientRect()] }));

  // Cut off, or beyond the glass. A limit of lines cuts on purpose.
  for (const { element, lines } of texts) {
    if (lines.some((line) => sticksOut(line, phone))) faults.push(`outside the phone: ${name(element)}`);
    for (let outer = element; outer && outer !== document.body; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      if (style.webkitLineClamp !== "none") break;
      if (lines.some((line) => sticksOut(line, outer.getBoundingClientRect()))) {
        faults.push(`clipped by ${outer.className}: ${name(element)}`);
        break;
      }
    }
  }
  const canvas = document.createElement("canvas").getContext("2d");
  for (const field of top.querySelectorAll("input[placeholder]")) {
    const style = getComputedStyle(field);
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    // A phone, too, ends it with an ellipsis: three quarters are enough to know it by.
    if (!field.value && canvas.measureText(field.placeholder).width * 0.75 > room + ROUNDING) {
      faults.push(`clipped by itself: ${name(field)}`);
    }
  }

  // A word that goes on in the next line; but addresses, identifiers and names of more than LONG letters may. Things
  // that lie on each other.
  const isWordAt = (text, index) => {
    const start = text.slice(0, index).search(/\S*$/), end = index + text.slice(index).search(/\s|$/);
    const word = text.slice(start, end);
    return /[\p{L}\p{N}]$/u.test(text.slice(0, index)) && /^[\p{L}\p{N}]/u.test(text.slice(index))
      && !/[@_/]/.test(word) && word.length <= LONG;
  };
  for (const { element, node, lines } of texts) {
    if (lines.length < 2) continue;
    const range = document.createRange();
    let last = null;
    for (let index = 0; index < node.data.length; index++) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const rect = [...range.getClientRects()].filter((rect) => rect.width > 0).pop();
      if (!rect) continue;
      const broken = last && rect.top > last.rect.bottom - rect.height / 2 && last.index === index - 1;
      if (broken && isWordAt(node.data, index)) {
        faults.push(`broken within a word: ${name(element)}`);
        break;
      }
      last = { rect, index };
    }
  }
  const isLayered = (one, other) => {
    let common = one;
    while (!common.contains(other)) common = common.parentElement;
    return common.matches(".overlay, .zstack");
  };
  const things = [...texts, ...controls];
  for (const thing of things) thing.element = thing.element.closest("button, a[href], [role=button]") || thing.element;
  const told = new Set();
  things.forEach((one, index) => {
    for (const other of things.slice(index + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      if (!one.lines.some((line) => other.lines.some((another) => overlap(line, another)))) continue;
      if (isLayered(one.element, other.element)) continue;
      const fault = `overlapping: ${[one, other].map((thing) => name(thing.element)).sort().join(" and ")}`;
      if (!told.has(fault)) faults.push(fault);
      told.add(fault);
    }
  });

  // Too small for a finger, or out of its reach.
  for (const { element, lines: [rect] } of controls) {
    if (sticksOut(rect, phone)) faults.push(`outside the phone: ${name(element)}`);
    if (rect.width < TARGET - 0.5 || rect.height < TARGET - 0.5) {
      faults.push(`smaller than ${TARGET}: ${name(element)} ${Math.round(rect.width)}×${Math.round(rect.height)}`);
    }
  }
  return faults;
}
