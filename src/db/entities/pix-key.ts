import { defineEntity } from '@mikro-orm/core'
import type { PixKeyState, PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'
import { Connection } from './connection.ts'
import type { OperationFailure } from './transfer.ts'

const pixKey = defineEntity({
  name: 'PixKey',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuidColumn(),
    isSimulated: p.boolean(),
    type: unionColumn<PixKeyType>(),
    /** Of a RANDOM one null until its provider has made it. */
    key: textColumn().nullable(),
    state: unionColumn<PixKeyState>(),
    /** The code that proved the address. */
    authCodeUuid: uuidColumn().nullable(),
    /** The random keys that its provider had before this one was asked for. */
    listedBefore: p.array().nullable(),
    /** Why it was not made, or not removed. */
    failure: p.json<OperationFailure>().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A PIX key of an account at one provider. */
export class PixKey extends pixKey.class {}
pixKey.setClass(PixKey)

/** `kept` in the local outbox instead of being sent; `refused` by whoever was to carry it. */
export type CodeDelivery = 'waiting' | 'sent' | 'kept' | 'refused' | 'expired'

const authCode = defineEntity({
  name: 'AuthCode',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    type: unionColumn<VerifiedKeyType>(),
    key: textColumn(),
    mac: textColumn(),
    wrongTries: p.integer().default(0),
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

/** Six digits on their way to an address, and the guesses that were made at them. */
export class AuthCode extends authCode.class {}
authCode.setClass(AuthCode)
