import HTTPServing
import HTTPTypes

// The routes of second factors.
extension FactorHandlers {
    var factorRoutes: [Route] { ownFactorRoutes + recoveryCodeRoutes + administeredFactorRoutes }

    private var ownFactorRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        return [
            Route(
                .post, "/factors", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.enrollFactor, timeLimit: wait, enrollFactor),
            Route(
                .post, "/factors/{factor_id}/challenge", acceptsTrailingSlash: true,
                wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.challengeFactor, timeLimit: wait, challengeFactor),
            Route(
                .post, "/factors/{factor_id}/verify", acceptsTrailingSlash: true,
                wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.verifyFactor, timeLimit: wait, verifyFactor),
            Route(
                .delete, "/factors/{factor_id}", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.removeFactor, timeLimit: wait, removeFactor),
        ]
    }

    private var recoveryCodeRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        return [
            Route(
                .get, "/factors/recovery-codes", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser,
                showRecoveryCodes),
            Route(
                .post, "/factors/recovery-codes", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.enrollFactor, timeLimit: wait, makeRecoveryCodes),
            Route(
                .delete, "/factors/recovery-codes", acceptsTrailingSlash: true,
                wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.removeFactor, timeLimit: wait, deleteRecoveryCodes),
            Route(
                .post, "/factors/recovery-codes/verify", acceptsTrailingSlash: true,
                wrongMethodGuardedBy: callers.requireUser,
                limitedBy: Limits.verifyRecoveryCode, timeLimit: wait, verifyRecoveryCode),
            Route(
                .post, "/factors/recovery-codes/regenerate", acceptsTrailingSlash: true,
                wrongMethodGuardedBy: callers.requireUser, limitedBy: Limits.enrollFactor, timeLimit: wait,
                replaceRecoveryCodes),
        ]
    }

    private var administeredFactorRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        return [
            Route(
                .get, "/admin/users/{user_id}/factors", acceptsTrailingSlash: true, guardedBy: callers.requireAdmin,
                server.admin.listUserFactors),
            Route(
                .put, "/admin/users/{user_id}/factors/{factor_id}", acceptsTrailingSlash: true,
                guardedBy: callers.requireAdmin,
                timeLimit: wait, server.admin.renameUserFactor),
            Route(
                .delete, "/admin/users/{user_id}/factors/{factor_id}", acceptsTrailingSlash: true,
                guardedBy: callers.requireAdmin, timeLimit: wait, server.admin.removeUserFactor),
        ]
    }
}
