import { randomUUID } from 'node:crypto'
import { addDays } from '../../../../src/domain/charges/business-days.ts'
import type {
  FoundCharge,
  IncomingPix,
  ProviderChargeRequest,
} from '../../../../src/domain/providers/provider.ts'
import type {
  ProviderRecurrence,
  ProviderRecurrenceRequest,
} from '../../../../src/domain/providers/provider-recurrence.ts'
import type { ChargeTry } from '../../../../src/domain/recurrences/charge-try.ts'
import type { RecurrenceTerms } from '../../../../src/domain/recurrences/recurrence.ts'
import { computeBrasiliaDay } from '../../../../src/domain/shared/brasilia-day.ts'
import { toParty } from '../../../../src/providers/adapter/party.ts'
import type { ChargeInput } from '../../../../src/workflows/contracts/charges.ts'
import type {
  RecurrenceInput,
  RecurrenceInputDetails,
} from '../../../../src/workflows/contracts/recurrences.ts'
import { openActivityFixture } from '../../../chaos/support/activity-fixture.ts'
import { buildIssuedCharge, newEndToEndId } from '../../../chaos/support/money-fixture.ts'

export const TODAY = computeBrasiliaDay(new Date())

/** R$ 100.00 each week from the sixth day on, so that the charge of the first cycle is due to be created. */
export const TERMS: RecurrenceTerms = {
  valueCents: 10_000,
  minimumCents: null,
  frequency: 'WEEKLY',
  startsOn: addDays(TODAY, 6),
  endsOn: null,
  contract: 'Plano 1',
  subject: 'Mensalidade',
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  generate: 'AUTOMATIC',
  daysBefore: 9,
}

const DEBTOR = { name: 'Ana Souza', document: '52998224725' }

type RecurrenceOrder = Partial<RecurrenceInputDetails> & {
  termsChange?: Partial<RecurrenceTerms>
  fee?: number
}

export type RecurrenceFixture = Awaited<ReturnType<typeof openRecurrenceFixture>>

/** Activities over PostgreSQL, and a provider that the test scripts, for recurrences. */
export async function openRecurrenceFixture() {
  const fixture = await openActivityFixture()
  const report = (
    status: ProviderRecurrence['status'],
    more: Partial<ProviderRecurrence> = {},
  ): ProviderRecurrence => ({
    railId: `RR${randomUUID()}`,
    status,
    payload: 'payload',
    ...more,
  })
  const reports = (status: ProviderRecurrence['status'], more: Partial<ProviderRecurrence> = {}) =>
    fixture.scriptProvider({
      findRecurrence: async () => ({ kind: 'found', recurrence: report(status, more) }),
    })
  return {
    ...fixture,
    report,
    /** The provider reports this of every recurrence from now on. */
    reports,

    /** A stored order; `candidates` has two connections. */
    async order({ termsChange = {}, fee = 0, ...details }: RecurrenceOrder = {}) {
      const merchant = await fixture.createMerchant(0)
      const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
      if (fee > 0)
        await fixture.sql(
          `update connection set fees = jsonb_set(fees, '{charge,fixedCents}', to_jsonb(?::int)) where account_uuid = ?`,
          [fee, merchant.accountUuid],
        )
      const uuid = randomUUID()
      const order: RecurrenceInput = {
        uuid,
        accountUuid: merchant.accountUuid,
        candidates,
        details: fixture.seal.seal({
          terms: { ...TERMS, ...termsChange },
          debtor: DEBTOR,
          splits: [],
          fingerprint: 'f',
          ...details,
        }),
        requestId: 'r',
        timeScale: 1,
      }
      await fixture.records.openRecurrence(order)
      return { uuid, order, candidates, accountUuid: merchant.accountUuid }
    },

    /** One that its payer has authorized. */
    async activate(order: RecurrenceOrder = {}) {
      const recurrence = await this.order(order)
      const requested: ProviderRecurrenceRequest[] = []
      fixture.scriptProvider({
        createRecurrence: async request => {
          requested.push(request)
          return { kind: 'accepted', recurrence: report('active') }
        },
      })
      await fixture.providers.createRecurrence({
        uuid: recurrence.uuid,
        connectionUuid: recurrence.candidates[0]!,
      })
      return { ...recurrence, requested: () => requested[0]! }
    },

    /** The debit of a cycle, as its provider has made it. */
    async debit(order: ChargeInput) {
      const { uuid } = order
      const issued = { ...buildIssuedCharge(uuid), receiver: toParty({}), payload: '' }
      const requested: ProviderChargeRequest[] = []
      fixture.scriptProvider({
        issueCharge: async request => {
          requested.push(request)
          return { kind: 'accepted', charge: issued }
        },
      })
      const result = await fixture.providers.issueDebit({ order })
      const pix = (paid: Partial<IncomingPix>): IncomingPix => ({
        endToEnd: newEndToEndId(),
        txid: issued.txid,
        reference: issued.txid,
        cents: order.valueCents + order.debit!.feeCents,
        status: 'settled',
        at: new Date().toISOString(),
        payer: null,
        pixKey: 'key',
        ...paid,
      })
      return {
        uuid,
        issued,
        result,
        requested: () => requested,
        /** The provider reports these tries and payments. */
        poll(
          status: FoundCharge['status'],
          { tries = [], paid = [] }: { tries?: ChargeTry[]; paid?: Partial<IncomingPix>[] } = {},
        ) {
          fixture.scriptProvider({
            findCharge: async () => ({
              kind: 'found',
              status,
              charge: issued,
              tries,
              payments: paid.map(pix),
            }),
          })
          return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: true })
        },
      }
    },

    async prepareCycle(uuid: string): Promise<ChargeInput> {
      return (await fixture.records.prepareCycle(uuid)).charge!.order
    },

    async readCharge(uuid: string) {
      const [row] = await fixture.sql<{
        state: string
        cycle: number
        payload: string | null
        code: string | null
      }>(`select state, cycle, payload, failure ->> 'code' as code from charge where uuid = ?`, [uuid])
      return row!
    },
    async readRow(uuid: string) {
      const [row] = await fixture.sql<{
        state: string
        next_cycle: number
        rail_id: string | null
        skipped: { cycle: number }[]
      }>('select state, next_cycle, rail_id, skipped_cycles as skipped from recurrence where uuid = ?', [
        uuid,
      ])
      return row!
    },
  }
}
