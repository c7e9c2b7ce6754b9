import { defineEntity } from '@mikro-orm/core'
import type { UserRole } from '../../domain/users/roles.ts'
import { createdAtColumn, timestampColumn, unionColumn } from './columns.ts'

/** A filter of a list of the dashboard: the path of the list, the name that the user gave, and the query of its address. */
export type SavedFilter = { list: string; name: string; query: string }

/** A user of the dashboard: of one account, or an operator of the whole service. */
const schema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: p => ({
    uuid: p.uuid().primary(),
    /** Null for operators, who belong to no account. */
    accountUuid: p.uuid().nullable(),
    /** In lower case. */
    email: p.text(),
    /** Null for users that the command line added. */
    name: p.text().nullable(),
    /** Argon2id, as `@node-rs/argon2` writes it. */
    passwordHash: p.text().lazy(),
    role: unionColumn<UserRole>(),
    createdAt: createdAtColumn(),
    /** Disabled by an operator, who may enable the user again. */
    disabledAt: timestampColumn().nullable(),
    /** Removed by an owner of the account, for ever. */
    removedAt: timestampColumn().nullable(),
    lastSignInAt: timestampColumn().nullable(),
    savedFilters: p.json<SavedFilter[]>().onCreate(() => []),
  }),
})

export class User extends schema.class {}
schema.setClass(User)
