import { randomUUID } from 'node:crypto'
import { addDays } from '../../../../src/domain/charges/business-days.ts'
import type { DueTerms } from '../../../../src/domain/charges/due-terms.ts'
import type {
  FoundCharge,
  IncomingPix,
  ProviderChargeRequest,
} from '../../../../src/domain/providers/provider.ts'
import { computeBrasiliaDay } from '../../../../src/domain/shared/brasilia-day.ts'
import { toParty } from '../../../../src/providers/adapter/party.ts'
import type { ChargeInputDetails } from '../../../../src/workflows/contracts/charges.ts'
import { openActivityFixture } from '../../../chaos/support/activity-fixture.ts'
import { buildIssuedCharge, newEndToEndId } from '../../../chaos/support/money-fixture.ts'

export const TODAY = computeBrasiliaDay(new Date())

/** Due in ten days, with a fine of 2 % and 1 % of interest a month. */
export const DUE_TERMS: DueTerms = {
  on: addDays(TODAY, 10),
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 200 },
  interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'MONTH', days: 'CALENDAR' },
  abatement: null,
  discount: null,
}

const DEBTOR = {
  name: 'Ana Souza',
  document: '52998224725',
  address: { street: 'Rua A', city: 'São Paulo', state: 'SP', zipCode: '01310100' },
}

type DueChargeOrder = Partial<ChargeInputDetails> & { fee?: number; pool?: string }
type PollOptions = { status?: FoundCharge['status']; isPayloadExpired?: boolean }

export type DueChargeFixture = Awaited<ReturnType<typeof openDueChargeFixture>>

/** Activities over PostgreSQL, and a provider that the test scripts, for charges of R$ 100.00 with a due date. */
export async function openDueChargeFixture() {
  const fixture = await openActivityFixture()
  return {
    ...fixture,

    /** An account at a pool, which the account of a charge can share. */
    async createRecipient() {
      const pool = randomUUID()
      return { ...(await fixture.createMerchant(0, pool)), pool }
    },

    async issue({ fee = 0, pool, ...details }: DueChargeOrder = {}) {
      const { accountUuid, connectionUuid } = await fixture.createMerchant(0, pool)
      if (fee > 0)
        await fixture.sql(
          `update connection set fees = jsonb_set(fees, '{charge,fixedCents}', to_jsonb(?::int)) where uuid = ?`,
          [fee, connectionUuid],
        )
      const uuid = randomUUID()
      const charge = { ...buildIssuedCharge(uuid), receiver: toParty({}) }
      const requested: ProviderChargeRequest[] = []
      fixture.scriptProvider({
        issueCharge: async request => {
          requested.push(request)
          return { kind: 'accepted', charge }
        },
      })
      await fixture.providers.issueCharge({
        uuid,
        accountUuid,
        candidates: [connectionUuid],
        valueCents: 10_000,
        expiresInSeconds: 60,
        details: fixture.seal.seal({
          splits: [],
          fingerprint: 'f',
          debtor: DEBTOR,
          due: DUE_TERMS,
          ...details,
        }),
        requestId: 'r',
        timeScale: 1,
      })
      const pix = (paid: Partial<IncomingPix>): IncomingPix => ({
        endToEnd: newEndToEndId(),
        txid: charge.txid,
        reference: charge.txid,
        cents: 10_000,
        status: 'settled',
        at: new Date().toISOString(),
        payer: null,
        pixKey: 'key',
        ...paid,
      })
      const found = (paid: Partial<IncomingPix>[], status: FoundCharge['status'] = 'completed') =>
        ({ kind: 'found', status, charge, payments: paid.map(pix) }) as const
      return {
        uuid,
        accountUuid,
        issued: charge,
        found,
        requested: () => requested[0]!,
        /** The provider lists these payments. */
        poll(paid: Partial<IncomingPix>[], { status, isPayloadExpired = false }: PollOptions = {}) {
          fixture.scriptProvider({ findCharge: async () => found(paid, status) })
          return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired })
        },
        async readState(): Promise<string> {
          const [row] = await fixture.sql<{ state: string }>('select state from charge where uuid = ?', [
            uuid,
          ])
          return row!.state
        },
        listUnmatched: () =>
          fixture.sql<object>(
            'select reason, disposition from movement where account_uuid = ? and reason is not null',
            [accountUuid],
          ),
      }
    },
  }
}
