import type { z } from 'zod'
import type {
  FoundCharge,
  IssuedCharge,
  ProviderChargeRequest,
  RejectedResult,
} from '../../domain/providers/provider.ts'
import type { ChargeTry } from '../../domain/recurrences/charge-try.ts'
import type { AnswerNotes } from '../adapter/answer-parsing.ts'
import type { BacenCall } from './client.ts'
import type { BacenPayableStatus } from './schemas.ts'

/** What every charge of the API shows. */
export type ShownCharge = {
  txid: string
  chave?: string | null | undefined
  loc?: { id: number } | null | undefined
  pix?: unknown
}

/** How a kind of charge of the API is ordered and read: at once (`cob`), with a due date (`cobv`), or a debit (`cobr`). */
export type ChargeKindProfile<Shown extends ShownCharge, Call extends string = BacenCall> = {
  /** Path of the kind, without a slash. */
  path: 'cob' | 'cobv' | 'cobr'
  isDue: boolean
  /** It is paid to the collection key of the connection. */
  needsKey: boolean
  calls: Record<'issue' | 'find' | 'cancel', Call>
  schema: z.ZodType<Shown>
  /** Body of the request that cancels one. */
  cancelRequest: object
  /** Builds the body of an order, or the refusal of one that the API cannot have. */
  buildRequest(order: ProviderChargeRequest): { kind: 'request'; json: object } | RejectedResult
  /** Tells whether a charge is the ordered one, as far as the provider shows it. */
  isOrdered(order: ProviderChargeRequest, shown: Shown): boolean
  /** Tells whether the ordered charge counts as issued; `now` in ms, null in the answer to the order. */
  isIssued(shown: Shown, now: number | null): boolean
  mapCharge(shown: Shown): IssuedCharge
  /** Computes the end of a charge that was ordered at a time, in ms, ISO 8601 UTC; null where it has none. */
  computeExpiry(shown: Shown, orderedAtMs: number): string | null
  /** The status of a charge at a time, in ms. */
  mapStatus(shown: Shown, now: number): FoundCharge['status']
  /** Maps what only a debit has. */
  mapDebit?(shown: Shown, notes: AnswerNotes): { tries?: ChargeTry[]; endCode?: string }
}

/**
 * Maps the status of a charge that a payer pays by its code: the API has none of those that have expired, which `getActiveStatus` tells.
 */
export function mapPayableStatus(
  { status }: { status: BacenPayableStatus },
  getActiveStatus: () => 'open' | 'expired',
): FoundCharge['status'] {
  switch (status) {
    case 'ATIVA':
      return getActiveStatus()
    case 'CONCLUIDA':
      return 'completed'
    case 'REMOVIDA_PELO_USUARIO_RECEBEDOR':
    case 'REMOVIDA_PELO_PSP':
      return 'removed'
  }
}
