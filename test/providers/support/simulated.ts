import type { Party } from '../../../src/domain/pix/party.ts'
import {
  type FindPayoutOutcome,
  type NoAnswerResult,
  type NotificationItem,
  type PayoutHandle,
  PROVIDER_APIS,
  type ProviderPayout,
  type ProviderTransferRequest,
  type SendPayoutOutcome,
} from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import {
  openSimulatorFixture,
  pollUntil,
  SHOP,
  type SimulatorFixture,
} from '../../simulator/support/simulator-fixture.ts'
import { accountDestination, keyDestination } from '../../support/transfer-destinations.ts'

export { pollUntil }

const NOTIFICATION_SECRET = 'a-secret-of-notifications'

/** Number of the account at the simulated Sicoob, Inter and Efí. */
const ACCOUNT_NUMBER = '48213705'

/** Provider APIs of these tests. Those of Stark Bank are in test/providers/stark: it signs, and has no secrets. */
export const SIMULATED_APIS = PROVIDER_APIS.filter(api => api !== 'stark')
type SimulatedApi = (typeof SIMULATED_APIS)[number]

/** The credentials of each provider API's connection. */
const CREDENTIALS: Record<SimulatedApi, Record<string, string>> = {
  efi: {
    client_id: SHOP.client_id,
    client_secret: SHOP.client_secret,
    account_number: ACCOUNT_NUMBER,
    notification_secret: NOTIFICATION_SECRET,
  },
  woovi: {
    app_id: Buffer.from(`${SHOP.client_id}:${SHOP.client_secret}`).toString('base64'),
    webhook_secret: NOTIFICATION_SECRET,
  },
  sicoob: {
    client_id: SHOP.client_id,
    account_number: ACCOUNT_NUMBER,
    notification_secret: NOTIFICATION_SECRET,
  },
  inter: {
    client_id: SHOP.client_id,
    client_secret: SHOP.client_secret,
    account_number: ACCOUNT_NUMBER,
    notification_secret: NOTIFICATION_SECRET,
  },
}

/** Tells whether the simulated provider binds its access tokens to a certificate. */
const needsCertificate = (dialect: SimulatedApi) => dialect === 'sicoob' || dialect === 'inter'

export const COLLECTION_KEY = SHOP.keys[0]
export const MARIA = 'maria@example.com'

/** An adapter and its account at the simulator, whose notifications arrive in the simulator's inbox. */
export async function openSimulatedProvider(dialect: SimulatedApi, options: Record<string, unknown> = {}) {
  const stage: SimulatorFixture = await openSimulatorFixture()
  await stage.control.putAccount('shop', {
    ...SHOP,
    keys: [...SHOP.keys],
    dialect,
    balance: 10_000,
    notification_secret: NOTIFICATION_SECRET,
    // The tests' calls are faster than the pace that Inter allows.
    options: { account_number: ACCOUNT_NUMBER, enforces_pace: false, ...options },
  })
  const client = needsCertificate(dialect) ? await stage.control.issueCertificate('shop') : undefined
  const clientCertificate = client && { certificate: client.certificate, private_key: client.key }
  const connection = {
    uuid: dialect,
    provider: SHOP.provider,
    dialect,
    baseUrl: stage.facts.providers[SHOP.provider].base_url,
    sealedCredentials: JSON.stringify({ ...CREDENTIALS[dialect], ...clientCertificate }),
  }
  // As long as a busy machine may need; the simulator's own silence ends by itself, after a second.
  const registry = createProviderRegistry({ openCredentials: JSON.parse, timeoutMs: 10_000, ca: stage.ca })
  const provider: Provider = registry.providerFor(connection)
  const handles = new Map<string, PayoutHandle>()
  const notificationUrl = `${stage.facts.inbox_url}/provider-notifications`
  await provider.registerNotificationUrl(notificationUrl, COLLECTION_KEY)

  let made = 0
  /** Ids of ours: 32 hexadecimal digits. */
  const id = () => {
    made += 1
    return made.toString(16).padStart(32, 'f')
  }

  const order = (cents: number) => ({
    reference: id(),
    totalCents: cents,
    expiresInSeconds: 3600,
    collectionKey: COLLECTION_KEY,
  })

  return {
    dialect,
    stage,
    provider,
    control: stage.control,
    id,
    /** Issues a charge, and fails where that is not accepted. */
    async issueCharge(cents: number) {
      const asked = order(cents)
      const outcome = await provider.issueCharge(asked)
      if (outcome.kind !== 'accepted') throw new Error(`not issued: ${JSON.stringify(outcome)}`)
      return { ...asked, ...outcome.charge }
    },
    order,
    transferRequest: (pixKey = MARIA, cents = 1000) => ({
      id: id(),
      cents,
      destination: keyDestination(pixKey),
      payerKey: COLLECTION_KEY,
    }),
    accountTransferRequest: (changes: Partial<Party> = {}) => ({
      id: id(),
      cents: 1000,
      destination: accountDestination({ account_type: 'CHECKING', ...changes }),
      payerKey: COLLECTION_KEY,
    }),
    /** Sends a transfer, prepared before its first sending where the provider prepares transfers. */
    async sendTransfer(request: ProviderTransferRequest): Promise<SendPayoutOutcome | NoAnswerResult> {
      const { prepareTransfer, preparedDestinations } = provider
      const isPrepared = preparedDestinations?.includes(request.destination.kind) ?? true
      if (prepareTransfer && isPrepared && !handles.has(request.id)) {
        const preparation = await prepareTransfer(request)
        if (preparation.kind !== 'prepared') return preparation
        handles.set(request.id, preparation.handle)
      }
      const outcome = await provider.sendTransfer(request, isPrepared ? handles.get(request.id) : undefined)
      const handle = outcome.kind === 'accepted' ? outcome.payout.handle : undefined
      if (handle && !handles.has(request.id)) handles.set(request.id, handle)
      return outcome
    },
    findTransfer({ id }: ProviderTransferRequest): Promise<FindPayoutOutcome> {
      const handle = handles.get(id)
      return provider.findTransfer({ id, ...(handle && { handle }) })
    },
    /** Tells whether a notification is about a sent transfer: by our id, or by that of its preparation. */
    isAbout: (request: ProviderTransferRequest) => (item: NotificationItem) =>
      item.kind === 'transfer' &&
      (item.reference ?? item.endToEnd) ===
        (handles.get(request.id)?.endToEnd ?? handles.get(request.id)?.ref ?? request.id),
    /** Polls a payout until it is settled or rejected. */
    async waitForEnd(find: () => Promise<FindPayoutOutcome>): Promise<ProviderPayout> {
      const found = await pollUntil(
        find,
        outcome => outcome.kind === 'found' && outcome.payout.status !== 'in_process',
      )
      if (found.kind !== 'found') throw new Error(`not found: ${JSON.stringify(found)}`)
      return found.payout
    },
    /** All notifications so far, as the adapter parses them. */
    async readNotifications() {
      const messages = await stage.control.listInbox('provider-notifications')
      const read = messages.map(({ body, headers }) => {
        const single = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]])
        return provider.readNotification({
          body,
          headers: Object.fromEntries(single),
          secret: NOTIFICATION_SECRET,
        })
      })
      return Promise.all(read)
    },
    /** The first notified item of a kind, once it exists. */
    async waitForNotification(fits: (item: NotificationItem) => boolean): Promise<NotificationItem> {
      const items = async () =>
        (await this.readNotifications()).flatMap(it => (it.kind === 'items' ? it.items : []))
      return (await pollUntil(items, all => all.some(fits))).find(fits)!
    },
    async close() {
      await registry.close()
      await stage.close()
    },
  }
}
export type SimulatedProvider = Awaited<ReturnType<typeof openSimulatedProvider>>
