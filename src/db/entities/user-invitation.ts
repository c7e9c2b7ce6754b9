import { defineEntity } from '@mikro-orm/core'
import type { AccountRole } from '../../domain/users/roles.ts'
import { createdAtColumn, timestampColumn, unionColumn } from './columns.ts'
import { User } from './user.ts'

/** An invitation to an account: a link that an owner or an operator sends, and that works once. */
const schema = defineEntity({
  name: 'UserInvitation',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    /** In lower case. */
    email: p.text(),
    role: unionColumn<AccountRole>(),
    tokenHash: p.blob(),
    /** Null: an operator on the command line. */
    inviter: () => p.manyToOne(User).name('invited_by').nullable(),
    createdAt: createdAtColumn(),
    expiresAt: timestampColumn(),
    acceptedAt: timestampColumn().nullable(),
    userUuid: p.uuid().nullable(),
    revokedAt: timestampColumn().nullable(),
  }),
})

export class UserInvitation extends schema.class {}
schema.setClass(UserInvitation)
