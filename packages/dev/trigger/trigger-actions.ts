import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiCallError, type ApiClient, type ApiResource } from '../../../src/cli/api-client.ts'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatorClient } from '../../simulator/control/client.ts'
import type { DecisionBody, FaultBody } from '../../simulator/control/schemas.ts'

/** Clients of the parties of a trigger: the merchant uses the API; payers, recipients and banks are in the simulator. */
export type TriggerContext = { api: ApiClient; simulator: SimulatorClient }

/** A resource by its path in the API, and a status that it shows sooner or later. */
export type TriggeredResource = { path: string; status: string }

export type TriggerActions = ReturnType<typeof createTriggerActions>

/** Value of every charge and transfer, in reais. */
export const TRIGGER_VALUE = 10

const STATUS_LIMIT_MS = 60_000
/** A provider without notifications of disputes is listed once in a cycle of sweeps: every five minutes where there are many. */
const DISPUTE_LIMIT_MS = 6 * 60_000
const POLL_MS = 500

type ChargeReference = { uuid: string; connectionUuid: string; provider: ProviderName; payload: string }

/** Creates what merchant, payer and bank do for the triggers; each action ends when its result can be acted on. */
export function createTriggerActions({ api, simulator }: TriggerContext) {
  async function createCharge(more: object = {}): Promise<ChargeReference> {
    const charge = await api.post('/payments', { value: TRIGGER_VALUE, type: 'PIX', ...more })
    const connection = charge.provider as { uuid: string; provider: ProviderName }
    const { payload } = charge.payment as { payload: string }
    return { uuid: charge.uuid, connectionUuid: connection.uuid, provider: connection.provider, payload }
  }

  /** Creates a charge and pays it as a payer. */
  async function payCharge(): Promise<ChargeReference & { endToEnd: string }> {
    const charge = await createCharge()
    const { end_to_end: endToEnd } = await simulator.pay({ payload: charge.payload })
    await awaitStatus(api, { path: `/payments/${charge.uuid}`, status: 'PAID' })
    return { ...charge, endToEnd }
  }

  /** Makes the provider refuse the next call about the account of a charge: a fault of the provider would hit others. */
  async function refuseNext(
    operation: FaultBody['operation'],
    { uuid, provider }: ChargeReference,
  ): Promise<void> {
    // Our reference at the provider is the uuid of the charge without hyphens (SPEC §2).
    const reference = uuid.replaceAll('-', '')
    const charge = (await simulator.listCharges()).find(one => one.reference === reference)
    if (!charge) throw new Error(`the simulator has no charge ${uuid}: is it the one that the API calls?`)
    await simulator.addFault({ provider, operation, account: charge.account, fault: 'refused' })
  }

  /** Disputes a payment as the payer's bank, and finds the dispute in the API; `id` is the bank's. */
  async function openDispute(): Promise<{ uuid: string; id: string }> {
    const { endToEnd } = await payCharge()
    const { id } = await simulator.openDispute({ end_to_end: endToEnd })
    const findDispute = async () => {
      const { data } = await api.get<{ data: ApiResource[] }>('/meds?per_page=100')
      return data.find(dispute => JSON.stringify(dispute).includes(endToEnd))
    }
    const { uuid } = await poll(findDispute, `the dispute of ${endToEnd} does not appear`, DISPUTE_LIMIT_MS)
    return { uuid, id }
  }

  return {
    createCharge,
    payCharge,
    openDispute,

    async cancelCharge({ uuid }: ChargeReference): Promise<{ uuid: string }> {
      await api.post(`/payments/${uuid}/cancel`)
      return { uuid }
    },

    /** Has a charge refused by the provider of another one, which exists so that the fault can name its account. */
    async createRefusedCharge(): Promise<ApiResource> {
      const other = await createCharge()
      await refuseNext('issueCharge', other)
      await api.post(`/payments/${other.uuid}/cancel`)
      const body = { value: TRIGGER_VALUE, type: 'PIX', provider_uuid: other.connectionUuid }
      return readRefusedResource(api.post('/payments', body))
    },

    /** Pays a charge and refunds it, whole without a body. */
    async refundCharge(body: object = {}): Promise<{ uuid: string; refundUuid: string }> {
      const { uuid } = await payCharge()
      return { uuid, refundUuid: refundUuidOf(await api.post(`/payments/${uuid}/refund`, body)) }
    },

    /** Pays a charge and has its refund refused by the provider. */
    async refuseRefund(): Promise<{ uuid: string; refundUuid: string }> {
      const charge = await payCharge()
      await refuseNext('refund', charge)
      const refused = await readRefusedResource(api.post(`/payments/${charge.uuid}/refund`))
      return { uuid: charge.uuid, refundUuid: refundUuidOf(refused) }
    },

    /** Sends a transfer to a random key, unless the body names one. */
    sendTransfer(body: object = {}): Promise<ApiResource> {
      return api.post('/transfers', { value: TRIGGER_VALUE, pix_key: `${randomUUID()}@example.com`, ...body })
    },

    async cancelTransfer({ uuid }: ApiResource): Promise<{ uuid: string }> {
      await api.post(`/transfers/${uuid}/cancel`)
      return { uuid }
    },

    /** Opens a dispute and decides it as the banks do. */
    async decideDispute(decision: DecisionBody['decision']): Promise<{ uuid: string }> {
      const { uuid, id } = await openDispute()
      await simulator.decideDispute(id, decision)
      return { uuid }
    },
  }
}

/** Reads a resource until it shows its status; that of a refund is within its charge. */
export async function awaitStatus(
  api: ApiClient,
  { path, status }: TriggeredResource,
  limitMs?: number,
): Promise<void> {
  const isShown = async () => {
    const { data } = await api.get<{ data: ApiResource & { refund?: { status: string } } }>(path)
    return (data.refund ?? data).status === status || undefined
  }
  await poll(isShown, `${path} is not ${status}`, limitMs)
}

async function poll<T>(
  read: () => Promise<T | undefined>,
  failure: string,
  limitMs = STATUS_LIMIT_MS,
): Promise<T> {
  const deadlineMs = performance.now() + limitMs
  for (;;) {
    const found = await read()
    if (found !== undefined) return found
    if (performance.now() > deadlineMs) throw new Error(`${failure} after ${limitMs / 1_000} s`)
    await sleep(POLL_MS)
  }
}

/**
 * Returns the resource of an operation that the provider refuses: the error carries it as `data`. A response before the
 * refusal, by the request's deadline, shows it in progress.
 */
async function readRefusedResource(requested: Promise<ApiResource>): Promise<ApiResource> {
  try {
    return await requested
  } catch (error) {
    if (error instanceof ApiCallError && error.code === 'provider_rejected')
      return error.body.data as ApiResource
    throw error
  }
}

function refundUuidOf({ refund }: ApiResource): string {
  return String(Object(refund).uuid)
}
