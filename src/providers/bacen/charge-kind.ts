import type { z } from 'zod'
import type { IssuedCharge, ProviderChargeRequest, RejectedResult } from '../../domain/providers/provider.ts'
import type { BacenCall } from './client.ts'

/** What every charge of the API shows. */
export type ShownCharge = {
  txid: string
  status: 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | 'REMOVIDA_PELO_PSP'
  chave?: string | null | undefined
  loc?: { id: number } | null | undefined
  pix?: unknown
}

/** How a kind of charge of the API is ordered and read: at once (`cob`), or with a due date (`cobv`). */
export type ChargeKindProfile<Shown extends ShownCharge> = {
  /** Path of the kind, without a slash. */
  path: 'cob' | 'cobv'
  isDue: boolean
  calls: Record<'issue' | 'find' | 'cancel', BacenCall>
  schema: z.ZodType<Shown>
  /** Builds the body of an order, or the refusal of one that the API cannot have. */
  buildRequest(order: ProviderChargeRequest): { kind: 'request'; json: object } | RejectedResult
  /** Tells whether a charge is the ordered one, as far as the provider shows it. */
  isOrdered(order: ProviderChargeRequest, shown: Shown): boolean
  mapCharge(shown: Shown): IssuedCharge
  /** Computes the end of a charge that was ordered at a time, in ms, ISO 8601 UTC. */
  computeExpiry(shown: Shown, orderedAtMs: number): string
  /** The status of an active charge at a time, in ms: the API has no status of those that have expired. */
  getActiveStatus(shown: Shown, now: number): 'open' | 'expired'
}
