import { defineEntity } from '@mikro-orm/core'
import type { CodeDelivery, PixKeyState, PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'
import { idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'
import { Connection } from './connection.ts'
import type { OperationFailure } from './transfer.ts'

const pixKey = defineEntity({
  name: 'PixKey',
  properties: p => ({
    uuid: idColumn(),
    accountUuid: uuidColumn(),
    connection: () => p.manyToOne(Connection),
    providerAccountUuid: uuidColumn(),
    isSimulated: p.boolean(),
    type: unionColumn<PixKeyType>(),
    /** Null for a RANDOM key until the provider has created it. */
    key: textColumn().nullable(),
    state: unionColumn<PixKeyState>(),
    /** Verification code that proved the address. */
    authCodeUuid: uuidColumn().nullable(),
    /** Random keys at the provider before this one was requested. */
    listedBefore: p.array().nullable(),
    /** Why the creation or the removal failed. */
    failure: p.json<OperationFailure>().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A PIX key of an account at one provider. */
export class PixKey extends pixKey.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: PixKeyState
}
pixKey.setClass(PixKey)

const authCode = defineEntity({
  name: 'AuthCode',
  properties: p => ({
    uuid: idColumn(),
    accountUuid: uuidColumn(),
    type: unionColumn<VerifiedKeyType>(),
    key: textColumn(),
    mac: textColumn(),
    wrongAttempts: p.integer().default(0),
    usedAt: timestampColumn().nullable(),
    expiresAt: timestampColumn(),
    sealedMessage: textColumn().nullable(),
    delivery: unionColumn<CodeDelivery>(),
    sentAt: timestampColumn().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
  }),
})

/** Six-digit verification code sent to an address, with the count of wrong guesses. */
export class AuthCode extends authCode.class {}
authCode.setClass(AuthCode)
