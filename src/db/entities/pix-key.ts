import { defineEntity } from '@mikro-orm/core'
import type { CodeDelivery, PixKeyState, PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'
import { orderAuthorColumns, requestedRowColumns, timestampColumn, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'
import type { OperationFailure } from './transfer.ts'

const pixKey = defineEntity({
  name: 'PixKey',
  properties: p => ({
    ...requestedRowColumns(),
    connection: () => p.manyToOne(Connection),
    isSimulated: p.boolean(),
    type: unionColumn<PixKeyType>(),
    /** Null for a RANDOM key until the provider has created it. */
    key: p.text().nullable(),
    state: unionColumn<PixKeyState>(),
    /** Auth code that proved the address. */
    authCodeUuid: p.uuid().nullable(),
    /** Random keys at the provider before this one was requested. */
    listedBefore: p.array().nullable(),
    /** Why the creation or the removal failed. */
    failure: p.json<OperationFailure>().nullable(),
    ...orderAuthorColumns(),
    fingerprint: p.text(),
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
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    type: unionColumn<VerifiedKeyType>(),
    key: p.text(),
    /** Requested by a test token: never sent, and proves no real key. */
    isSimulated: p.boolean(),
    mac: p.text(),
    wrongAttempts: p.integer().default(0),
    usedAt: timestampColumn().nullable(),
    expiresAt: timestampColumn(),
    sealedMessage: p.text().nullable(),
    delivery: unionColumn<CodeDelivery>(),
    sentAt: timestampColumn().nullable(),
    requestId: p.text(),
    fingerprint: p.text(),
    createdAt: timestampColumn(),
  }),
})

/** Message with a code, sealed in its row until it is sent. */
export type CodeMessage = { to: string; code: string }

/** Six-digit auth code sent to an address, with the count of wrong guesses. */
export class AuthCode extends authCode.class {}
authCode.setClass(AuthCode)
