import { defineEntity } from '@mikro-orm/core'
import { timestampColumn } from './columns.ts'
import { User } from './user.ts'

const userSession = defineEntity({
  name: 'UserSession',
  tableName: 'dashboard_session',
  properties: p => ({
    uuid: p.uuid().primary(),
    /** SHA-256 of the cookie. */
    hash: p.blob(),
    user: () => p.manyToOne(User),
    /** The account whose pages an operator reads. */
    openedAccountUuid: p.uuid().nullable(),
    csrf: p.text(),
    expiresAt: timestampColumn(),
    revokedAt: timestampColumn().nullable(),
  }),
})

/** A session of a user in the dashboard; its other columns belong to the statements of `src/db/repositories/dashboard-sessions.ts`. */
export class UserSession extends userSession.class {}
userSession.setClass(UserSession)
