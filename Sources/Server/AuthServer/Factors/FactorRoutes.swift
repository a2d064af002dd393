import HTTPServing
import HTTPTypes

extension FactorHandlers {
    var factorRoutes: [Route] { ownFactorRoutes + recoveryCodeRoutes + administeredFactorRoutes }

    private var ownFactorRoutes: [Route] {
        let (path, own) = ("/factors/{factor_id}", callers.owned)
        return [
            own(.post, "/factors", Limits.enrollFactor, true, enrollFactor),
            own(.post, path + "/challenge", Limits.challengeFactor, true, challengeFactor),
            own(.post, path + "/verify", Limits.verifyFactor, true, verifyFactor),
            own(.delete, path, Limits.removeFactor, true, removeFactor),
        ]
    }

    private var recoveryCodeRoutes: [Route] {
        let (path, own) = ("/factors/recovery-codes", callers.owned)
        return [
            own(.get, path, nil, false, showRecoveryCodes),
            own(.post, path, Limits.enrollFactor, true, makeRecoveryCodes),
            own(.delete, path, Limits.removeFactor, true, deleteRecoveryCodes),
            own(.post, path + "/verify", Limits.verifyRecoveryCode, true, verifyRecoveryCode),
            own(.post, path + "/regenerate", Limits.enrollFactor, true, replaceRecoveryCodes),
        ]
    }

    private var administeredFactorRoutes: [Route] {
        let path = "/admin/users/{user_id}/factors"
        return [
            callers.administered(.get, path, slash: true, server.admin.listUserFactors),
            callers.administered(.put, path + "/{factor_id}", slash: true, server.admin.updateUserFactor),
            callers.administered(.delete, path + "/{factor_id}", slash: true, server.admin.removeUserFactor),
        ]
    }
}
