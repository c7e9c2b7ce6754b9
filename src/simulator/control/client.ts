import { readFileSync } from 'node:fs'
import { Agent, fetch } from 'undici'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type {
  AccountBody,
  DecisionBody,
  DepositBody,
  DisputeBody,
  FaultBody,
  InboxAnswerBody,
  MovementBody,
  PayBody,
  ReturnBody,
} from './schemas.ts'

/** An account as the control API shows it; money in reais. */
export type SimulatedAccountView = {
  id: string
  provider: ProviderName
  dialect: AccountBody['dialect']
  client_id: string
  holder: { name: string; document: string }
  city: string
  ispb: string
  keys: string[]
  balance: number
  held: number
  blocked: number
  requires_certificate: boolean
  amount_magic: boolean
}
export type StatementLine = {
  /** The id its caller chose: a txid, or that of a sending or devolução. */
  id: string | null
  /** Null of what is no PIX. */
  end_to_end: string | null
  original_end_to_end: string | null
  kind: 'payment' | 'deposit' | 'transfer' | 'refund' | 'return' | 'tariff' | 'withdrawal' | 'credit'
  value: number
  account: string
  at: string
}
/** One side of a dispute. */
export type SimulatedDisputeView = {
  id: string
  account: string
  side: 'received' | 'requested'
  end_to_end: string
  value: number
  blocked: number
  status: 'open' | 'replied' | 'agreed' | 'disagreed' | 'cancelled'
  opened_at: string
  due_at: string
  replies: { accept: boolean | null; text: string; documents: unknown[]; at: string }[]
}
export type InboxMessage = {
  at: string
  method: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
export type FaultView = {
  provider: ProviderName
  operation: FaultBody['operation'] | null
  account: string | null
  fault: FaultBody['fault']
  times: number
  delay_ms: number | null
  status: number | null
  body: string | null
  page_size: number | null
}
/** A fault that had its effect on a call. */
export type ServedFaultView = {
  account: string
  operation: NonNullable<FaultBody['operation']>
  fault: FaultBody['fault']
  item_id: string | null
  at: string
}
/** A charge as its provider has it; `reference` is the id that its caller gave. */
export type SimulatedChargeView = {
  account: string
  reference: string
  txid: string
  status: 'active' | 'completed' | 'removed' | 'removed_by_provider'
}
/** An order that waits in a provider's panel for an approval. */
export type PendingOrderView = { id: string; account: string; value: number; key: string }

/** The control API answered with a refusal. */
export class SimulatorApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type SimulatorClient = ReturnType<typeof createSimulatorClient>

/** The control API, for tests and for seeding a local demo. `baseUrl` is the simulator's `url`; close it when done. */
export function createSimulatorClient(baseUrl: string, caFile: string) {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } })
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}/control${path}`, {
      method,
      dispatcher,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const said = (await answer.json()) as Answer & { message?: string }
    if (!answer.ok) throw new SimulatorApiError(answer.status, said.message ?? `answered ${answer.status}`)
    return said
  }
  const listed = async <Item>(path: string) => (await call<{ data: Item[] }>('GET', path)).data

  return {
    /** Makes or changes an account; its opening balance counts only the first time. */
    putAccount: (id: string, settings: AccountBody) =>
      call<SimulatedAccountView>('PUT', `/accounts/${id}`, settings),
    findAccount: (id: string) => call<SimulatedAccountView>('GET', `/accounts/${id}`),
    /** A client certificate for accounts that require one, both PEM. */
    issueCertificate: (commonName: string) =>
      call<{ certificate: string; key: string }>('POST', '/certificates', { common_name: commonName }),
    pay: (order: PayBody) => call<{ end_to_end: string }>('POST', '/pay', order),
    deposit: (order: DepositBody) => call<{ end_to_end: string }>('POST', '/deposit', order),
    /** The recipient of a sending gives money back. */
    returnTransfer: (order: ReturnBody) => call<{ return_id: string }>('POST', '/returns', order),
    /** Money moves at the provider without its API; `end_to_end` is null where it is no PIX. */
    moveMoney: (movement: MovementBody) =>
      call<{ id: string; end_to_end: string | null }>('POST', '/movements', movement),
    /** The payer's bank contests a PIX that was received, or one that was sent. */
    openDispute: (order: DisputeBody) => call<{ id: string }>('POST', '/meds', order),
    decideDispute: (id: string, decision: DecisionBody['decision']) =>
      call<{ id: string }>('POST', `/meds/${id}/decide`, { decision }),
    findDispute: (id: string) => listed<SimulatedDisputeView>(`/meds/${id}`),
    addFault: (fault: FaultBody) => call<{ data: FaultView[] }>('PUT', '/faults', fault),
    listFaults: () => listed<FaultView>('/faults'),
    listServedFaults: () => listed<ServedFaultView>('/faults/served'),
    listCharges: () => listed<SimulatedChargeView>('/charges'),
    listOrders: () => listed<PendingOrderView>('/orders'),
    approveOrder: (id: string) => call<{ id: string }>('POST', `/orders/${id}/approve`),
    removeOrder: (id: string) => call<{ id: string }>('DELETE', `/orders/${id}`),
    clearFaults: () => call<{ data: [] }>('DELETE', '/faults'),
    listStatement: (provider?: ProviderName) =>
      listed<StatementLine>(`/statement${provider ? `?provider=${provider}` : ''}`),
    listInbox: (name: string) => listed<InboxMessage>(`/inbox/${name}`),
    setInboxResponse: (name: string, answer: InboxAnswerBody) =>
      call<InboxAnswerBody>('PUT', `/inbox/${name}`, answer),
    clearInbox: (name: string) => call<{ data: [] }>('DELETE', `/inbox/${name}`),
    close: () => dispatcher.close(),
  }
}
