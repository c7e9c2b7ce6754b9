import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { advanceHeldTransfer, storeTransfer } from '../../../src/activities/transfers/activities.ts'
import { requestCallout } from '../../../src/activities/transfers/request-callout.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { limitRoutes } from '../../../src/api/limits/routes.ts'
import { giveVerdict } from '../../../src/api/operations/approvals.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { queryApproval } from '../../../src/db/repositories/approvals.ts'
import { createAddressPolicy } from '../../../src/webhook-client/address-policy.ts'
import { createWebhookClient } from '../../../src/webhook-client/client.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { createAuthority, readBody, startMerchantServer } from '../../webhooks/support/merchant-server.ts'
import { openApiFixture } from './api-fixture.ts'

/** A request that reached the server of the merchant. */
type ReceivedCallout = { headers: IncomingMessage['headers']; body: string }

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

const PATH = '/api/v1/limits'
export const KEY = 'maria-segredo@example.com'

/** The API, the server of a merchant that call-outs reach, and the activities of what waits; without Temporal. */
export async function openCalloutFixture() {
  const ca = await createAuthority()
  const received: ReceivedCallout[] = []
  const answers: Answer[] = []
  const listener: RequestListener = async (request, response) => {
    received.push({ headers: request.headers, body: await readBody(request) })
    const answer = answers.shift()
    if (answer) await answer(response, request)
    else response.end('{"approve":true}')
  }
  const merchant = await startMerchantServer(ca, { names: ['127.0.0.1', 'shop.test'] }, listener)
  const fixture = await openApiFixture(
    [transferRoutes, limitRoutes({ ca: [ca.pem], handshakeTimeoutMs: 30_000 })],
    { TRILHO_LOOPBACK_WEBHOOKS: 'true' },
  )
  const { orm, sealer, log } = fixture.dependencies
  const createClient = (canReachLoopback: boolean) =>
    createWebhookClient({ policy: createAddressPolicy({ canReachLoopback }), ca: [ca.pem] })
  const clients = [createClient(true), createClient(false)] as const
  const outcomes: string[] = []
  const dependencies = {
    orm,
    sealer,
    log,
    timeScale: 1,
    webhooks: clients[0],
    onCallout: (one: string) => outcomes.push(one),
  } as unknown as ActivityDependencies
  const sql = <T extends object>(text: string, values: unknown[] = []) =>
    orm.em.fork().execute<T[]>(text, values)

  return {
    ...fixture,
    ca,
    dependencies,
    merchant,
    url: `https://127.0.0.1:${merchant.port}/approvals`,
    /** What reached the server. */
    received,
    /** What the metrics have counted. */
    outcomes,
    sql,
    /** The answers of the server, in order; by default it approves. */
    script: (...some: Answer[]) => void answers.push(...some),

    /** An account with a balance, a token of Ana, and a call-out for transfers of more than R$ 100. */
    async createAccount(approvals: object = {}) {
      const accountUuid = await fixture.insertAccount()
      const connectionUuid = await fixture.insertConnection(accountUuid)
      const em = orm.em.fork()
      await postOpeningBalance(em, await em.findOneOrFail(Connection, connectionUuid), 10_000_00)
      const token = await fixture.insertToken({ accountUuid })
      const [row] = await sql<{ number: number }>(
        `update token set author = 'ana' where account_uuid = ? returning number`,
        [accountUuid],
      )
      const body = { approvals: { above: 100, callout_url: this.url, ...approvals } }
      const limits = await fixture.call('PUT', PATH, { token, body })
      return { accountUuid, connectionUuid, token, tokenNumber: row!.number, limits }
    },

    /** Orders a transfer of R$ 200, whose call-out is due. */
    async hold(
      account: { accountUuid: string; connectionUuid: string; tokenNumber: number },
      more: Partial<TransferInput> = {},
    ): Promise<string> {
      const uuid = randomUUID()
      const order: TransferInput = {
        uuid,
        accountUuid: account.accountUuid,
        candidates: [account.connectionUuid],
        valueCents: 200_00,
        details: sealer.seal({ destination: keyDestination(KEY), fingerprint: 'f' }),
        requestId: 'the-request',
        timeScale: 1,
        tokenNumber: account.tokenNumber,
        ...more,
      }
      await storeTransfer(dependencies)(order)
      await this.makeDue(uuid)
      return uuid
    },
    makeDue: (uuid: string) =>
      sql('update approval_request set callout_due_at = clock_timestamp() where subject_uuid = ?', [uuid]),
    /** One run of the activity. `guarded`: with a client that reaches public addresses only. */
    ask: (subjectUuid: string, { guarded = false } = {}) =>
      requestCallout({ ...dependencies, webhooks: clients[guarded ? 1 : 0] })({ subjectUuid }),
    advance: (uuid: string) => advanceHeldTransfer(dependencies)(uuid),
    /** What a person says. */
    say: (subjectUuid: string, verdict: 'approve' | 'reject', person = 'bia') =>
      runInTransaction(orm, em => giveVerdict(em, { subjectUuid, verdict, person, reason: undefined })),
    read: async (uuid: string) => (await runQuery(orm.em.fork(), queryApproval(uuid)))!,
    show: async (uuid: string, token: string) =>
      (await fixture.call('GET', `/api/v1/transfers/${uuid}`, { token })).body.data,
    async closeAll() {
      await Promise.all(clients.map(one => one.close()))
      await merchant.close()
      await fixture.close()
    },
  }
}
