import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { readReceiverName } from '../../db/repositories/connections.ts'
import { buildStaticBrCode } from '../../domain/pix/static-br-code.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type { IssueChargeOutcome, IssuedCharge } from '../../domain/providers/provider.ts'
import { staticTxidOf } from '../../domain/qr-codes/qr-code.ts'
import type { ChargeInput } from '../../workflows/contracts/charges.ts'
import { getConnectionParty } from '../shared/provider-client.ts'

/**
 * Tells whether a charge is a static code of ours at a connection: its amount is open, and the provider's API issues no open
 * amount (SPEC §2).
 */
export function isIssuedAsStaticCode(valueCents: number, { dialect }: Pick<Connection, 'dialect'>): boolean {
  return valueCents === 0 && !PROVIDER_CAPABILITIES[dialect].canIssueOpenAmount
}

/**
 * Issues a charge with an open amount as a static code of the connection's collection key. Calls no provider, and gives the same
 * payload whenever it is repeated. A connection without such a key refuses it: another candidate may have one.
 */
export async function issueStaticCharge(
  em: EntityManager,
  { uuid, accountUuid }: Pick<ChargeInput, 'uuid' | 'accountUuid'>,
  connection: Connection,
): Promise<IssueChargeOutcome> {
  const { collectionKey } = connection
  if (!collectionKey) return collectionKeyMissing
  const txid = staticTxidOf(uuid)
  const receiverName = await readReceiverName(em, connection, accountUuid)
  const payload = buildStaticBrCode({ key: collectionKey, cents: null, txid, receiverName })
  const receiver = getConnectionParty(connection) ?? { ...UNKNOWN_RECEIVER, name: receiverName }
  return { kind: 'accepted', charge: { txid, payload, expiresAt: null, pixKey: collectionKey, receiver } }
}

/** Stores the static code of a charge, in the transaction that makes it pending: a PIX with its txid pays this charge. */
export function storeChargeCode(
  em: EntityManager,
  charge: Charge,
  { txid, payload, pixKey }: IssuedCharge,
): void {
  const { uuid, accountUuid, connection, providerAccountUuid, requestId, fingerprint } = charge
  const at = new Date()
  em.create(QrCode, {
    uuid,
    accountUuid,
    connection,
    providerAccountUuid,
    isSingle: true,
    status: 'ACTIVE',
    pixKey,
    txid,
    payload,
    splits: [],
    metadata: {},
    tokenNumber: charge.tokenNumber ?? null,
    userUuid: charge.userUuid ?? null,
    requestId,
    fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  charge.qrCodeUuid = uuid
}

const collectionKeyMissing = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'collection_key_missing',
  message: 'An open amount is collected by a PIX key, and the connection has none',
  refusedBy: 'service',
} as const

const UNKNOWN_RECEIVER = {
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'PAYMENT',
} as const
