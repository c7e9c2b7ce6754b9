import { randomUUID } from 'node:crypto'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import type { ChargeTry } from '../../../src/domain/recurrences/charge-try.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { formatTimestamp } from '../../../src/domain/shared/timestamp.ts'

/** Names that a page must escape (`MALICIOUS_TEXT`), within the length of a contract. */
const HOSTILE_TEXT = `"'><script>alert(1)</script>`

type Owner = {
  sql(statement: string, values?: unknown[]): Promise<unknown>
  account: string
  connection: string
}
type StoredRecurrence = {
  uuid?: string
  fingerprint?: string
  state?: string
  valueCents?: number | null
  generate?: 'AUTOMATIC' | 'MANUAL'
  startsOn?: string
  journey?: 'QR' | 'REQUEST'
  payer?: string
  contract?: string
  /** Uuid of a charge with a due date, by which its payer was offered it. */
  firstCharge?: string
}

/** Inserts an authorized recurrence of R$ 49.90 a month that began 32 days ago, all of whose texts are hostile; returns its uuid. */
export async function insertRecurrence(
  { sql, account, connection }: Owner,
  {
    uuid = randomUUID(),
    fingerprint = 'f',
    state = 'active',
    valueCents = 4_990,
    generate = valueCents === null ? 'MANUAL' : 'AUTOMATIC',
    startsOn = addDays(computeBrasiliaDay(new Date()), -32),
    journey = 'QR',
    payer = HOSTILE_TEXT,
    contract = HOSTILE_TEXT,
    firstCharge,
  }: StoredRecurrence = {},
): Promise<string> {
  const now = new Date()
  const status = state === 'creating' ? [] : [{ status: 'PENDING', created_at: formatTimestamp(now) }]
  const isRequest = journey === 'REQUEST'
  await sql(
    `insert into recurrence (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, frequency, starts_on,
       contract, subject, retry_policy, journey, generate, first_charge_uuid, days_before, debtor_name, debtor_document, sealed_payer_account,
       request_expires_at, rail_id, payload, external_ref, metadata, next_cycle, history, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, ?, 'MONTHLY', ?, ?, ?, 'THREE_IN_SEVEN_DAYS', ?, ?, ?, 4, ?, '52998224725', ?,
       ?, ?, ?, ?, ?, 3, ?, 'r', ?, ?, ? from connection where uuid = ? and account_uuid = ?`,
    [
      ...[uuid, state, valueCents, startsOn, contract, HOSTILE_TEXT],
      ...[firstCharge ? 'PAYMENT_THEN_OFFER' : journey, generate, firstCharge ?? null, payer],
      ...[isRequest ? 's' : null, isRequest ? new Date(now.getTime() + 86_400_000) : null],
      ...[state === 'creating' ? null : `RR${uuid}`, isRequest ? null : HOSTILE_TEXT],
      ...[HOSTILE_TEXT, JSON.stringify({ note: HOSTILE_TEXT }), JSON.stringify(status)],
      ...[fingerprint, now, now],
      ...[connection, account],
    ],
  )
  return uuid
}

type StoredDebit = {
  uuid?: string
  fingerprint?: string
  recurrence: string
  cycle: number
  debitOn: string
  tries?: ChargeTry[]
  state?: string
  failure?: object | null
}

/** Inserts the debit of a cycle of a recurrence of R$ 49.90; returns its uuid. */
export async function insertDebit(
  { sql, account, connection }: Owner,
  {
    uuid = randomUUID(),
    fingerprint = 'f',
    recurrence,
    cycle,
    debitOn,
    tries = [],
    state = 'debiting',
    failure = null,
  }: StoredDebit,
): Promise<string> {
  const now = new Date()
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents, recurrence_uuid,
       cycle, debit_on, tries, debtor_name, debtor_document, payment_uuid, payload, txid, failure, history, request_id, fingerprint,
       created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, 4990, 4990, ?, ?, ?, ?, 'Ana Souza', '52998224725', ?, '', ?, ?, ?, 'r',
       ?, ?, ? from connection where uuid = ? and account_uuid = ?`,
    [
      ...[uuid, state, recurrence, cycle, debitOn, JSON.stringify(tries), randomUUID()],
      ...[uuid.replaceAll('-', ''), failure && JSON.stringify(failure)],
      ...[JSON.stringify([{ status: 'PENDING', created_at: formatTimestamp(now) }]), fingerprint, now, now],
      ...[connection, account],
    ],
  )
  return uuid
}
