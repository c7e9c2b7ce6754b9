import type { z } from 'zod'
import type {
  FoundCharge,
  IncomingPix,
  IssuedCharge,
  Party,
  PayoutReturn,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, parsePage, pickWithinTotal } from '../adapter/answer-parsing.ts'
import { toParty } from '../adapter/party.ts'
import { toEfiRejection } from './errors.ts'
import {
  type EfiCob,
  type EfiDevolucao,
  type EfiHolder,
  type EfiReceivedDevolucao,
  type EfiReceivedPix,
  type EfiTimes,
  type EfiTransfer,
  isWithoutMoney,
} from './schemas.ts'

/** Maps a charge; texts that Efí leaves out are `''`. */
export function mapEfiCharge(cob: EfiCob): IssuedCharge {
  return {
    totalCents: cob.valor.original,
    txid: cob.txid,
    payload: cob.pixCopiaECola ?? '',
    expiresAt: getExpiresAt(cob),
    pixKey: cob.chave ?? '',
    receiver: mapEfiParty(cob.recebedor ?? {}),
  }
}

/** Maps the status of a charge at `now` (ms): Efí has no "expired", so an active charge expires after its time. */
export function mapEfiChargeStatus(cob: EfiCob, now: number): FoundCharge['status'] {
  switch (cob.status) {
    case 'ATIVA':
      return Date.parse(getExpiresAt(cob)) <= now ? 'expired' : 'open'
    case 'CONCLUIDA':
      return 'completed'
    case 'REMOVIDA_PELO_USUARIO_RECEBEDOR':
    case 'REMOVIDA_PELO_PSP':
      return 'removed'
  }
}

/** Maps a received PIX; `chargeKey` applies if it does not repeat its key, `gnExtras` adds the payer's bank. */
export function mapEfiPayment(pix: EfiReceivedPix, chargeKey?: string | null): IncomingPix {
  return {
    endToEnd: pix.endToEndId,
    txid: pix.txid || null,
    reference: pix.txid || null,
    cents: pix.valor,
    status: 'settled',
    at: pix.horario,
    payer: mapEfiPayer(pix),
    pixKey: pix.chave ?? chargeKey ?? '',
  }
}

/** Maps the payer of a PIX; null if neither a name nor a document is reported, as in look-ups. */
export function mapEfiPayer({
  pagador,
  gnExtras,
}: Pick<EfiReceivedPix, 'pagador' | 'gnExtras'>): Party | null {
  const payer = { ...gnExtras?.pagador, ...pagador }
  return payer.nome || payer.cpf || payer.cnpj ? mapEfiParty(payer) : null
}

const PAYOUT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  DEVOLVIDO: 'settled',
  REALIZADO: 'settled',
  NAO_REALIZADO: 'rejected',
} as const

/** Maps a devolução that we sent; its end-to-end id is the rail's return id. */
export function mapEfiRefund(devolucao: EfiDevolucao): ProviderPayout {
  const status = PAYOUT_STATUSES[devolucao.status]
  return {
    status,
    cents: devolucao.valor,
    endToEnd: devolucao.rtrId ?? '',
    at: getEfiTime(devolucao.horario),
    ...(status === 'rejected' ? toEfiRejection(devolucao.gnExtras?.erro, devolucao.motivo) : {}),
  }
}

/** Maps a sent PIX, without the returns of its recipient. */
export function mapEfiTransfer(pix: EfiTransfer): ProviderPayout {
  const { status, valor: cents, endToEndId, horario, favorecido, gnExtras } = pix
  const holder = favorecido?.identificacao ?? favorecido?.contaBanco
  return {
    status: PAYOUT_STATUSES[status],
    cents,
    endToEnd: endToEndId ?? '',
    at: getEfiTime(horario),
    ...(status === 'NAO_REALIZADO' ? toEfiRejection(gnExtras?.erro) : {}),
    receiver: holder ? mapEfiParty({ codigoBanco: favorecido?.contaBanco?.codigoBanco, ...holder }) : null,
  }
}

type ListedDevolucao = EfiReceivedDevolucao | EfiDevolucao

/**
 * Reads the devoluções of a PIX that fit into it together; an unreadable or impossible one is noted, and hides no other.
 * `isComplete`: every one that may have moved money was readable and possible.
 */
export function readEfiReturns<Devolucao extends ListedDevolucao>(
  shape: z.ZodType<Devolucao>,
  { devolucoes, valor }: { devolucoes?: unknown; valor: number },
  notes: AnswerNotes,
): { returns: Devolucao[]; isComplete: boolean } {
  const { items, unreadableItems } = parsePage(shape, devolucoes, notes)
  const returns = pickWithinTotal(items, valor, getReturnedCents, notes)
  return { returns, isComplete: returns.length === items.length && unreadableItems.every(isWithoutMoney) }
}

/** Gets what a devolução has returned: one that has not settled has moved nothing. */
function getReturnedCents({ status, valor }: ListedDevolucao): number {
  return status === 'DEVOLVIDO' ? valor : 0
}

/** Maps a devolução to one return if it has settled, else to none. Its id is Efí's, or the rail's if Efí gives none. */
export function mapEfiSettledReturn(devolucao: ListedDevolucao): PayoutReturn[] {
  const { rtrId, status, valor: cents, horario } = devolucao
  const at = getEfiTime(horario)
  const id = devolucao.id || rtrId
  return status === 'DEVOLVIDO' && at && id ? [{ id, endToEnd: rtrId || null, cents, at }] : []
}

/** Gets the time of settlement, or of the request while it has not settled. */
export function getEfiTime({ liquidacao, solicitacao }: EfiTimes): string | null {
  return liquidacao ?? solicitacao ?? null
}

/** Computes when a charge that was created at `createdAtMs` expires. */
export function computeEfiExpiry({ calendario }: EfiCob, createdAtMs: number): string {
  return new Date(createdAtMs + calendario.expiracao * 1000).toISOString()
}

function getExpiresAt(cob: EfiCob): string {
  return computeEfiExpiry(cob, Date.parse(cob.calendario.criacao))
}

function mapEfiParty({ nome, cpf, cnpj, codigoBanco }: EfiHolder): Party {
  return toParty({ name: nome, document: cpf ?? cnpj, ispb: codigoBanco })
}
