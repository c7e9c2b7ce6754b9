import { defineEntity } from '@mikro-orm/core'
import type { PixKeyState, PixKeyType, ProvedType } from '../../domain/pix-key.ts'
import { key, moment, oneOf, text, uuid } from '../columns.ts'
import { Connection } from './connection.ts'
import type { Failure } from './transfer.ts'

const pixKey = defineEntity({
  name: 'PixKey',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuid(),
    isSimulated: p.boolean(),
    type: oneOf<PixKeyType>(),
    /** Of a RANDOM one null until its provider has made it. */
    key: text().nullable(),
    state: oneOf<PixKeyState>(),
    /** The code that proved the address. */
    authCodeUuid: uuid().nullable(),
    /** The random keys that its provider had before this one was asked for. */
    listedBefore: p.array().nullable(),
    /** Why it was not made, or not removed. */
    failure: p.json<Failure>().nullable(),
    requestId: text(),
    fingerprint: text(),
    createdAt: moment(),
    updatedAt: moment(),
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
    uuid: key(),
    accountUuid: uuid(),
    type: oneOf<ProvedType>(),
    key: text(),
    mac: text(),
    wrongTries: p.integer().default(0),
    usedAt: moment().nullable(),
    expiresAt: moment(),
    sealedMessage: text().nullable(),
    delivery: oneOf<CodeDelivery>(),
    sentAt: moment().nullable(),
    requestId: text(),
    fingerprint: text(),
    createdAt: moment(),
  }),
})

/** Six digits on their way to an address, and the guesses that were made at them. */
export class AuthCode extends authCode.class {}
authCode.setClass(AuthCode)
