"""The Python clients that Supabase publishes, with as much time for an answer as a busy machine needs: they have the five
seconds that httpx gives."""

import httpx
import supabase_auth
from program import PATIENCE_SECONDS

# As the clients set them themselves, and the time.
OPTIONS = {"follow_redirects": True, "http2": True, "timeout": PATIENCE_SECONDS}


def SyncGoTrueClient(**options):
    return supabase_auth.SyncGoTrueClient(http_client=httpx.Client(**OPTIONS), **options)


def SyncGoTrueAdminAPI(**options):
    return supabase_auth.SyncGoTrueAdminAPI(http_client=httpx.Client(**OPTIONS), **options)


def AsyncGoTrueClient(**options):
    return supabase_auth.AsyncGoTrueClient(http_client=httpx.AsyncClient(**OPTIONS), **options)


def AsyncGoTrueAdminAPI(**options):
    return supabase_auth.AsyncGoTrueAdminAPI(http_client=httpx.AsyncClient(**OPTIONS), **options)
