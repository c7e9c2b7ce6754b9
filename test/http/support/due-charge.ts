import { randomUUID } from 'node:crypto'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { formatTimestamp } from '../../../src/domain/shared/timestamp.ts'
import { type createFullAccount, MALICIOUS_TEXT } from './full-account.ts'

/** Terms with every member, due in 20 days. */
export function createDueTerms(overrides: Partial<DueTerms> = {}): DueTerms {
  const on = addDays(computeBrasiliaDay(new Date()), 20)
  return {
    on,
    payableDaysAfter: 30,
    fine: { type: 'PERCENTAGE', basisPoints: 200 },
    interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'MONTH', days: 'CALENDAR' },
    abatement: { type: 'FIXED', cents: 150 },
    discount: {
      kind: 'until',
      steps: [{ type: 'FIXED', cents: 1_000, on: addDays(overrides.on ?? on, -10) }],
    },
    ...overrides,
  }
}

/** Inserts a PENDING charge of R$ 100.00 with a due date, all of whose texts are hostile; returns its uuid. `connection`: that of the account, unless given. */
export async function insertDueCharge(
  { sql, account, connection: ownConnection }: Awaited<ReturnType<typeof createFullAccount>>,
  due: DueTerms,
  connection: string = ownConnection,
): Promise<string> {
  const uuid = randomUUID()
  const [{ provider_account_uuid: providerAccount }] = (await sql(
    'select provider_account_uuid from connection where uuid = ?',
    [connection],
  )) as [{ provider_account_uuid: string }]
  const now = new Date()
  const address = { street: MALICIOUS_TEXT, city: MALICIOUS_TEXT, state: 'SP', zipCode: '01310100' }
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
       debtor_name, debtor_document, debtor_address, due, message, metadata, payment_uuid, payload, txid, history,
       request_id, fingerprint, created_at, updated_at)
     values (?, ?, ?, ?, 'pending', 10000, 10000, ?, '52998224725', ?, ?, ?, ?, ?, ?, ?, ?, 'r', 'f', ?, ?)`,
    [
      ...[uuid, account, connection, providerAccount, MALICIOUS_TEXT, JSON.stringify(address)],
      ...[JSON.stringify(due), MALICIOUS_TEXT, JSON.stringify({ note: MALICIOUS_TEXT }), randomUUID()],
      ...[MALICIOUS_TEXT, uuid.replaceAll('-', '')],
      ...[JSON.stringify([{ status: 'PENDING', created_at: formatTimestamp(now) }]), now, now],
    ],
  )
  return uuid
}
