import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn, timestampColumn } from './columns.ts'

/** A link by which a user chooses a new password. It ends with the password that it replaces. */
const schema = defineEntity({
  name: 'PasswordReset',
  properties: p => ({
    uuid: p.uuid().primary(),
    userUuid: p.uuid(),
    tokenHash: p.blob(),
    /** `PasswordResetMessage`, sealed, until it is sent; null for a link that an owner passes on. */
    sealedMessage: p.text().nullable(),
    createdAt: createdAtColumn(),
    expiresAt: timestampColumn(),
  }),
})

export class PasswordReset extends schema.class {}
schema.setClass(PasswordReset)

/** Address and content of a message with a link. */
export type PasswordResetMessage = { to: string; url: string; language: 'pt-BR' | 'en' }
