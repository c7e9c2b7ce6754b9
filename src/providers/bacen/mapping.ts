import type { z } from 'zod'
import { sumPaidParts } from '../../domain/charges/due-payment.ts'
import type { PaidParts } from '../../domain/charges/due-terms.ts'
import type { Party } from '../../domain/pix/party.ts'
import { mayFollowPix, readReturnNature } from '../../domain/pix/return-nature.ts'
import type {
  IncomingPix,
  IssuedCharge,
  PayoutReturn,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, parsePage, pickWithinTotal } from '../adapter/answer-parsing.ts'
import { toParty } from '../adapter/party.ts'
import {
  type BacenCob,
  type BacenDevolucao,
  type BacenHolder,
  type BacenReceivedDevolucao,
  type BacenReceivedPix,
  type BacenTimes,
  isWithoutMoney,
} from './schemas.ts'

type ShownChargeFields = Pick<BacenCob, 'txid' | 'pixCopiaECola' | 'brcode' | 'chave' | 'recebedor'> & {
  valor: { original: number }
}

/** Maps a charge; texts that the provider leaves out are `''`. */
export function mapBacenCharge(charge: ShownChargeFields, expiresAt: string): IssuedCharge {
  return {
    totalCents: charge.valor.original,
    txid: charge.txid,
    payload: charge.pixCopiaECola || charge.brcode || '',
    expiresAt,
    pixKey: charge.chave ?? '',
    receiver: mapBacenParty(charge.recebedor ?? {}),
  }
}

/** The charge that a PIX pays: its key applies if the PIX does not repeat it. */
type PaidCharge = { key: string | null | undefined; isDue: boolean }

/** Maps a received PIX; `gnExtras` adds the payer's bank. */
export function mapBacenPayment(pix: BacenReceivedPix, charge?: PaidCharge): IncomingPix {
  const parts = mapPaidParts(pix, charge?.isDue)
  return {
    endToEnd: pix.endToEndId,
    txid: pix.txid || null,
    reference: pix.txid || null,
    cents: pix.valor,
    status: 'settled',
    at: pix.horario,
    payer: mapBacenPayer(pix),
    pixKey: pix.chave ?? charge?.key ?? '',
    ...(parts && { parts }),
  }
}

/**
 * Maps the parts of the value of a PIX; undefined where they are not those of a charge with a due date, or do not add up to the value,
 * which alone counts. A PIX that is found without its charge pays one where it has more than the original value.
 */
function mapPaidParts({ componentesValor, valor }: BacenReceivedPix, isDue?: boolean): PaidParts | undefined {
  if (!componentesValor || isDue === false) return undefined
  const { original, ...others } = componentesValor
  const [fineCents, interestCents, discountCents, abatementCents] = [
    others.multa?.valor ?? 0,
    others.juros?.valor ?? 0,
    others.desconto?.valor ?? 0,
    others.abatimento?.valor ?? 0,
  ]
  if (!isDue && fineCents + interestCents + discountCents + abatementCents === 0) return undefined
  const parts = { originalCents: original.valor, fineCents, interestCents, discountCents, abatementCents }
  return sumPaidParts(parts) === valor ? parts : undefined
}

/** Maps the payer of a PIX; null if neither a name nor a document is reported, as in look-ups. */
export function mapBacenPayer({
  pagador,
  gnExtras,
}: Pick<BacenReceivedPix, 'pagador' | 'gnExtras'>): Party | null {
  const payer = { ...gnExtras?.pagador, ...pagador }
  return payer.nome || payer.cpf || payer.cnpj ? mapBacenParty(payer) : null
}

export const PAYOUT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  DEVOLVIDO: 'settled',
  REALIZADO: 'settled',
  NAO_REALIZADO: 'rejected',
} as const

/** Converts why a devolução that was accepted failed into our code and a bounded message. */
export type ToBacenRejection = (devolucao: BacenDevolucao) => Pick<ProviderPayout, 'code' | 'message'>

/** Maps a devolução that we sent; its end-to-end id is the rail's return id. */
export function mapBacenRefund(devolucao: BacenDevolucao, toRejection: ToBacenRejection): ProviderPayout {
  const status = PAYOUT_STATUSES[devolucao.status]
  return {
    status,
    cents: devolucao.valor,
    endToEnd: devolucao.rtrId ?? '',
    at: getBacenTime(devolucao.horario),
    ...(status === 'rejected' ? toRejection(devolucao) : {}),
  }
}

type ListedDevolucao = BacenReceivedDevolucao | BacenDevolucao

/**
 * Reads the devoluções of a PIX that fit into it together; an unreadable or impossible one is noted, and hides no other.
 * `isComplete`: every one that may have moved money was readable and possible.
 */
export function readBacenReturns<Devolucao extends ListedDevolucao>(
  shape: z.ZodType<Devolucao>,
  { devolucoes, valor }: { devolucoes?: unknown; valor: number },
  notes: AnswerNotes,
): { returns: Devolucao[]; isComplete: boolean } {
  const { items, unreadableItems } = parsePage(shape, devolucoes, notes)
  // Recorded for operators, and read all the same: the money has moved.
  for (const item of items.filter(({ natureza }) => !isPossibleNature(natureza)))
    notes.noteUnreadableItem(item, item.natureza ?? '')
  const returns = pickWithinTotal(items, valor, getReturnedCents, notes)
  return { returns, isComplete: returns.length === items.length && unreadableItems.every(isWithoutMoney) }
}

/** Tells whether a devolução of a received or sent PIX may have a nature: neither is a withdrawal or change. */
function isPossibleNature(natureza: string | null | undefined): boolean {
  const nature = readReturnNature(natureza)
  return nature !== null && (mayFollowPix('common', nature) || mayFollowPix('automatic', nature))
}

/** Gets what a devolução has returned: one that has not settled has moved nothing. */
function getReturnedCents({ status, valor }: ListedDevolucao): number {
  return status === 'DEVOLVIDO' ? valor : 0
}

/** Maps a devolução to one return if it has settled, else to none. Its id is the provider's, or the rail's if there is none. */
export function mapBacenSettledReturn(devolucao: ListedDevolucao): PayoutReturn[] {
  const { rtrId, status, valor: cents, horario } = devolucao
  const at = getBacenTime(horario)
  const id = devolucao.id || rtrId
  return status === 'DEVOLVIDO' && at && id ? [{ id, endToEnd: rtrId || null, cents, at }] : []
}

/** Gets the time of settlement, or of the request while it has not settled. */
export function getBacenTime({ liquidacao, solicitacao }: BacenTimes): string | null {
  return liquidacao ?? solicitacao ?? null
}

/** Computes when a charge that was created at `createdAtMs` expires. */
export function computeBacenExpiry({ calendario }: BacenCob, createdAtMs: number): string {
  return new Date(createdAtMs + calendario.expiracao * 1000).toISOString()
}

/** Maps a holder as the Central Bank's API shows it; `codigoBanco` is Efí's. */
export function mapBacenParty({ nome, cpf, cnpj, codigoBanco }: BacenHolder): Party {
  return toParty({ name: nome, document: cpf ?? cnpj, ispb: codigoBanco })
}
