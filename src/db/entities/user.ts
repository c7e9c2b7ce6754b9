import { defineEntity } from '@mikro-orm/core'
import { idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

export type UserRole = 'merchant' | 'operator'

/** A user of the dashboard: a merchant's belongs to one account, an operator to the whole service. */
const schema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: () => ({
    uuid: idColumn(),
    /** Null for operators, who belong to no account. */
    accountUuid: uuidColumn().nullable(),
    /** In lower case. */
    email: textColumn(),
    /** Argon2id, as `@node-rs/argon2` writes it. */
    passwordHash: textColumn().lazy(),
    role: unionColumn<UserRole>(),
    createdAt: timestampColumn().onCreate(() => new Date()),
    disabledAt: timestampColumn().nullable(),
  }),
})

export class User extends schema.class {}
schema.setClass(User)
