import { randomUUID } from 'node:crypto'
import type { CodeFault, CodeReader } from '../../code-reader/reader.ts'
import { maskParty } from '../../contract/ledger/movement.ts'
import type { ReadCodeBody } from '../../contract/qr-codes/code-reading.ts'
import { UNKNOWN_PARTY } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { StoredCodeReading } from '../../db/entities/code-reading.ts'
import type { ComparedReading } from '../../domain/qr-codes/code-payment.ts'
import type { CodeReading } from '../../domain/qr-codes/code-reading.ts'
import { fail } from '../../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'

export const CODE_READINGS_PATH = '/api/v1/qr-codes/read'

/** What is wrong with a code, as the error of `payload` says it. */
export const CODE_FAULT_MESSAGES: Record<CodeFault, string> = {
  length: 'must have 1 to 512 characters',
  characters: 'must have characters of ASCII only',
  fields: 'must have fields whose lengths add up, none twice',
  frame: 'must begin with field 00 and end with field 63',
  crc: 'must have a correct CRC: a character is wrong or missing',
  currency: 'must be in reais (field 53)',
  country: 'must be of Brazil (field 58)',
  amount: 'must have a value in reais with a point (field 54)',
  receiver_name: 'must have the name and the city of the receiver (fields 59 and 60)',
  pix_account: 'must have one PIX account',
  key_and_location: 'must have a key or a location, not both',
  nothing_to_pay: 'must have a key or a location',
  location: 'must have a location without a scheme, of at most 77 characters',
  txid: 'must have a txid of 1 to 25 letters and digits, or ***',
  refused_address: 'must have a location with a public address',
  too_large: 'must have a location that shows at most 32 kB',
  location_redirect: 'must have a location that does not redirect',
  location_empty:
    'has a location that shows no charge: it was paid or removed, has expired, or does not exist',
  location_refusal: 'has a location that cannot be paid on this day, or in this municipality',
  location_withdrawal: 'must not pay out cash (Pix Saque, Pix Troco)',
  document: 'must have a location that shows the charge of the PIX API, signed',
  algorithm: 'must be signed by RS256, PS256 or ES256',
  key_address: 'must be signed by a key of the host of its location',
  key_set: 'must be signed by a key that the host of its location shows',
  signature: 'must have a correct signature',
  certificate: 'must be signed by a certificate of the trust store',
}

/** What is paid by a reading, as its row has it sealed. */
export type SealedCode = ComparedReading & { payload: string }

/** Reads a code at the bank of its receiver; fails with `qr_invalid`, or `qr_unreadable` without an answer. */
export async function readCode(
  codeReader: CodeReader,
  payload: string,
  { payOn, codMun }: { payOn?: string | undefined; codMun?: string | undefined } = {},
): Promise<CodeReading> {
  const limitMs = getRequestDeadline().timeoutBeforeStartMs()
  const outcome = await codeReader(payload, { payOn, codMun, limitMs })
  if (outcome.kind === 'invalid')
    fail('qr_invalid', { errors: { payload: [CODE_FAULT_MESSAGES[outcome.fault]] } })
  if (outcome.kind === 'no_answer') fail('qr_unreadable', { retryAfterS: UNAVAILABLE_RETRY_S })
  return outcome.reading
}

type ReadingDependencies = { codeReader: CodeReader; sealer: Sealer }
type ReadingRequest = { em: EntityManager; token: CallerToken; body: ReadCodeBody; requestId: string }

/** Reads a code, and stores what was read. Fails as `readCode`. */
export async function readPaymentCode(
  { codeReader, sealer }: ReadingDependencies,
  { em, token, body, requestId }: ReadingRequest,
): Promise<StoredCodeReading> {
  const payload = body.payload.trim()
  const reading = await readCode(codeReader, payload, { payOn: body.pay_on, codMun: body.cod_mun })
  const ownCharge = await findChargeOfCode(em.fork(), [visibilityFilter(token)], {
    payload,
    txid: reading.txid,
  })
  const { pixKey, receiverDocument, txid, value } = reading
  const sealedCode = sealer.seal({ payload, pixKey, receiverDocument, txid, value } satisfies SealedCode)
  const ownChargeUuid = ownCharge?.uuid ?? null
  const uuid = randomUUID()
  return writeDirectly(
    em,
    { ids: { uuid }, act: { token, action: 'qr_code_read', subject: `code-reading/${uuid}` } },
    async tx =>
      tx.create(
        StoredCodeReading,
        buildReadingRow({ uuid, reading, sealedCode, ownChargeUuid, token, requestId }),
      ),
  )
}

/** Finds the stored reading of a code of the account, of the token's mode. */
export function findVisibleCodeReading(
  em: EntityManager,
  { accountUuid, modeScope }: CallerToken,
  uuid: string,
): Promise<StoredCodeReading | null> {
  const mode = modeScope && { isSimulated: modeScope === 'test' }
  return em.findOne(StoredCodeReading, { uuid, accountUuid, ...mode })
}

/** Finds the charge that has a code, among those of the filters. */
export async function findChargeOfCode(
  em: EntityManager,
  filters: object[],
  { payload, txid }: { payload: string; txid: string | null },
): Promise<Pick<Charge, 'uuid' | 'providerAccountUuid'> | null> {
  if (txid === null) return null
  const filter = { $and: [...filters, { txid, payload }] }
  return em.findOne(Charge, filter, { fields: ['uuid', 'providerAccountUuid'] })
}

type ReadingFacts = {
  uuid: string
  reading: CodeReading
  sealedCode: string
  ownChargeUuid: string | null
  token: CallerToken
  requestId: string
}

function buildReadingRow({ uuid, reading, sealedCode, ownChargeUuid, token, requestId }: ReadingFacts) {
  const {
    kind,
    receiverName: name,
    receiverDocument: document,
    txid,
    value,
    status,
    expiresAt,
    signature,
  } = reading
  const author = orderAuthorOf(token)
  return {
    uuid,
    accountUuid: token.accountUuid,
    isSimulated: token.mode === 'test',
    kind,
    receiver: maskParty({ ...UNKNOWN_PARTY, name, document }),
    sealedCode,
    txid,
    ...value,
    status,
    expiresAt,
    signature,
    ownChargeUuid,
    tokenNumber: author.tokenNumber ?? null,
    userUuid: author.userUuid ?? null,
    requestId,
    createdAt: new Date(),
  }
}
