import { randomUUID } from 'node:crypto'
import type { ProviderDispute } from '../../../src/domain/disputes/provider-dispute.ts'
import type { openActivityFixture } from './activity-fixture.ts'

type DisputedPix = { connectionUuid: string; endToEnd: string }

/** A payer's dispute of a received PIX of R$ 10.00. */
export function createDisputeFixture(
  books: Awaited<ReturnType<typeof openActivityFixture>>,
  { connectionUuid, endToEnd }: DisputedPix,
) {
  const order = {
    uuid: randomUUID(),
    connectionUuid,
    providerDisputeId: randomUUID(),
    endToEnd,
    requestId: 'r',
    timeScale: 1,
  }
  return {
    order,
    /** Its provider is polled, and answers with it. */
    pollAnswering(facts: Partial<ProviderDispute> = {}) {
      const med: ProviderDispute = {
        id: order.providerDisputeId,
        kind: 'RECEIVED_MED',
        endToEnd,
        disputeType: 'SCAM',
        cents: 1_000,
        status: 'open',
        openedAt: new Date().toISOString(),
        dueAt: null,
        details: '',
        analysis: '',
        returns: [],
        isClosed: false,
        ...facts,
      }
      books.scriptProvider({ findDispute: async () => ({ kind: 'found', dispute: med }) })
      return books.providers.pollDispute(order)
    },
    /** The amount that it claims of the PIX, and the blocked amount. */
    async readCents() {
      const [row] = await books.sql<{ claimed: number; held: number; retained: number }>(
        `select claimed_cents::int as claimed, held_cents::int as held, retained_cents::int as retained
         from dispute where uuid = ?`,
        [order.uuid],
      )
      return row
    },
  }
}
