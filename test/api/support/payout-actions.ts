import { randomUUID } from 'node:crypto'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import type { ApiClient, ApiResponse, RequestOptions } from './client.ts'
import { POLL_LIMIT_MS, pollUntil } from './poll-until.ts'
import type { Merchant, TestStack } from './test-stack.ts'

/** Actions and reads of the tests of transfers and refunds. */

// biome-ignore lint/suspicious/noExplicitAny: a story reads what it expects and fails where it is not.
export type ApiResource = any

/** How long a payout is in progress where a test reads that: longer than a machine stands still. */
export const SHOWN_MS = 12_000

/** A random key; money sent to it settles. */
export const randomPixKey = () => `maria-${randomUUID().slice(0, 8)}@example.com`

export const statusesOf = ({ history }: { history: { status: string }[] }) =>
  history.map(entry => entry.status)

export type PayoutActions = ReturnType<typeof createPayoutActions>

export function createPayoutActions(stage: TestStack) {
  /** Sends 10 reais, unless the body says otherwise. */
  const send = (
    { api }: { api: ApiClient },
    body: object = {},
    request?: RequestOptions,
  ): Promise<ApiResponse> =>
    api.post('/api/v1/transfers', { value: 10, pix_key: randomPixKey(), ...body }, request)

  const transfer = async ({ api }: { api: ApiClient }, uuid: string): Promise<ApiResource> => {
    const answer = await api.get(`/api/v1/transfers/${uuid}`)
    if (answer.status !== 200) throw new Error(`not read: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

  const setCircuitOpenedAt = ({ uuid }: { uuid: string }, fromNow: string) =>
    stage.sql(
      `update circuit_breaker set opened_at = now() + ?::interval where connection_uuid = ? and opened_at is not null`,
      [fromNow, uuid],
    )

  return {
    send,
    transfer,

    /** Waits until a transfer shows a status, and answers it. */
    waitForStatus: (
      merchant: { api: ApiClient },
      uuid: string,
      status: string,
      limitMs = POLL_LIMIT_MS,
    ): Promise<ApiResource> =>
      pollUntil(
        () => transfer(merchant, uuid),
        ({ status: now }) => now === status,
        { limitMs },
      ),

    /** Sends and waits for the settlement. */
    async sendAndSettle(merchant: { api: ApiClient }, body: object = {}): Promise<ApiResource> {
      const answer = await send(merchant, body)
      if (answer.status !== 201) throw new Error(`not sent: ${answer.status} ${JSON.stringify(answer.body)}`)
      return this.waitForStatus(merchant, answer.body.data.uuid, 'PAID')
    },

    /** A charge paid by a payer of its own. */
    async createPaidCharge(
      { api }: Pick<Merchant, 'api'>,
      body: object = {},
      payment: object = {},
    ): Promise<ApiResource> {
      const { uuid, payment: shown } = await api.createCharge(body)
      await stage.simulator.pay({ payload: shown.payload, ...payment })
      return pollUntil(
        () => api.readCharge(uuid),
        ({ status }) => status === 'PAID',
      )
    },

    requestRefund: (
      { api }: { api: ApiClient },
      { uuid }: { uuid: string },
      body?: object,
      request?: RequestOptions,
    ) => api.post(`/api/v1/payments/${uuid}/refund`, body, request),

    /** A fault for the calls to one of a merchant's provider accounts; no other account is affected. */
    injectFault: (
      { provider, account }: Pick<Merchant['connection'], 'provider' | 'account'>,
      operation: NonNullable<FaultBody['operation']>,
      fault: FaultBody['fault'],
      more: Partial<FaultBody> = {},
    ) => stage.simulator.addFault({ provider, account, operation, fault, ...more }),

    /** Makes a connection unreachable, before a byte is sent, until it is called again. */
    async makeUnreachable(
      { uuid }: { uuid: string },
      nowhere = 'https://localhost:1',
    ): Promise<() => Promise<void>> {
      const [row] = await stage.sql<{ base_url: string }>('select base_url from connection where uuid = ?', [
        uuid,
      ])
      const reachAt = async (url: string) => {
        await stage.sql('update connection set base_url = ? where uuid = ?', [url, uuid])
      }
      await reachAt(nowhere)
      return () => reachAt(row!.base_url)
    },

    /** Keeps the open circuit of a connection open, however slow a test is; `allowProbe` ends that. */
    keepCircuitOpen: (connection: { uuid: string }) => setCircuitOpenedAt(connection, '1 hour'),
    /** The next probe of an open circuit is due. */
    allowProbe: (connection: { uuid: string }) => setCircuitOpenedAt(connection, '-1 minute'),

    /** What left the provider accounts of one or more merchants: the proof that nothing was paid twice. */
    async listPaidOut({ connections }: Pick<Merchant, 'connections'>) {
      const providers = [...new Set(connections.map(({ provider }) => provider))]
      const lines = (
        await Promise.all(providers.map(provider => stage.simulator.listStatement(provider)))
      ).flat()
      const mine = new Set(connections.map(({ account }) => account))
      const seen = new Map(
        lines
          .filter(line => mine.has(line.account) && (line.kind === 'transfer' || line.kind === 'refund'))
          .map(line => [line.end_to_end, line]),
      )
      return [...seen.values()].map(({ provider: _, ...line }: ApiResource) => line as ApiResource)
    },

    /** The events of a resource or movement, in their order. */
    listEvents: (subject: { uuid: string }, type: string) =>
      readEventBodies<ApiResource>(stage.sql, 'subject_uuid = ? and type = ?', [subject.uuid, type]),

    /** Every PIX event of an account. */
    listPixEvents: ({ uuid }: { uuid: string }) =>
      readEventBodies<ApiResource>(stage.sql, `account_uuid = ? and type = 'PIX_TRANSACTION'`, [uuid]),

    /** The stored attempts of a transfer or refund, in their order. */
    listAttempts: ({ uuid }: { uuid: string }): Promise<ApiResource[]> =>
      stage.sql('select * from attempt where subject_uuid = ? order by position', [uuid]),

    /** The available balance of an account at one of its connections, as GET /providers shows it. */
    async readBalances({ api }: { api: ApiClient }, { uuid }: { uuid: string }): Promise<ApiResource> {
      const { currency: _, ...balances } = (await api.get(`/api/v1/providers/${uuid}`)).body.data.balances[0]
      return Object.fromEntries(Object.entries(balances).filter(([, value]) => value !== 0))
    },
  }
}
