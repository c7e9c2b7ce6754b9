import { defineEntity } from '@mikro-orm/core'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

export type UserRole = 'merchant' | 'operator'

/** Who signs in at the dashboard: a merchant's for one account, an operator for the whole service. */
const schema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: () => ({
    uuid: key(),
    /** Null for operators, who belong to no account. */
    accountUuid: uuid().nullable(),
    /** In lower case. */
    email: text(),
    /** Argon2id, as `@node-rs/argon2` writes it. */
    passwordHash: text().lazy(),
    role: oneOf<UserRole>(),
    createdAt: moment().onCreate(() => new Date()),
    disabledAt: moment().nullable(),
  }),
})

export class User extends schema.class {}
schema.setClass(User)
