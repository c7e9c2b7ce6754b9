import type {
  FoundCharge,
  IncomingPix,
  IssuedCharge,
  Party,
  PayoutReturn,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { toParty } from '../adapter/party.ts'
import { toEfiRejection } from './errors.ts'
import type {
  EfiCob,
  EfiDevolucao,
  EfiHolder,
  EfiReceivedDevolucao,
  EfiReceivedPix,
  EfiTimes,
  EfiTransfer,
} from './schemas.ts'

/** Efí's objects in the words of the domain. What Efí leaves unsaid is `''`. */

export function mapEfiCharge(cob: EfiCob): IssuedCharge {
  return {
    txid: cob.txid,
    payload: cob.pixCopiaECola ?? '',
    expiresAt: getExpiresAt(cob),
    pixKey: cob.chave ?? '',
    receiver: mapEfiParty(cob.recebedor ?? {}),
  }
}

/**
 * The Central Bank's API has no "expired": a charge that is not completed is, once its time is over. A PIX of another
 * amount leaves it as unpaid as before.
 */
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

/** A PIX that Efí lists as received has settled; its txid is our reference; its extras know the payer's bank; a charge's key stands in where the PIX does not repeat it. */
export function mapEfiPayment(pix: EfiReceivedPix, chargesKey?: string | null): IncomingPix {
  const told = { ...pix.gnExtras?.pagador, ...pix.pagador }
  return {
    endToEnd: pix.endToEndId,
    txid: pix.txid ?? null,
    reference: pix.txid ?? null,
    cents: pix.valor,
    status: 'settled',
    at: pix.horario,
    payer: Object.keys(told).length > 0 ? mapEfiParty(told) : null,
    pixKey: pix.chave ?? chargesKey ?? '',
  }
}

const PAYOUT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  DEVOLVIDO: 'settled',
  REALIZADO: 'settled',
  NAO_REALIZADO: 'rejected',
} as const

/** A devolução on its way back; its end-to-end id is the rail's return id. `at`: when settled, else when asked for. */
export function mapEfiRefund(devolucao: EfiDevolucao): ProviderPayout {
  const status = PAYOUT_STATUSES[devolucao.status]
  return {
    status,
    endToEnd: devolucao.rtrId ?? '',
    at: getEfiTime(devolucao.horario),
    ...(status === 'rejected' ? toEfiRejection(devolucao.gnExtras?.erro, devolucao.motivo) : {}),
  }
}

/** A sent PIX, without what its recipient gave back. */
export function mapEfiTransfer(pix: EfiTransfer): ProviderPayout {
  const { status, endToEndId, horario, favorecido, gnExtras } = pix
  const holder = favorecido?.identificacao ?? favorecido?.contaBanco
  return {
    status: PAYOUT_STATUSES[status],
    endToEnd: endToEndId,
    at: getEfiTime(horario),
    ...(status === 'NAO_REALIZADO' ? toEfiRejection(gnExtras?.erro) : {}),
    receiver: holder ? mapEfiParty({ codigoBanco: favorecido?.contaBanco?.codigoBanco, ...holder }) : null,
  }
}

/** A return that has settled: known by the provider's own id of it, where it has one, and by the rail's once it has that. */
export function mapEfiSettledReturn({
  id,
  rtrId,
  status,
  valor,
  horario,
}: EfiReceivedDevolucao | EfiDevolucao): PayoutReturn[] {
  const at = getEfiTime(horario)
  const known = id || rtrId
  return status === 'DEVOLVIDO' && at && known
    ? [{ id: known, endToEnd: rtrId || null, cents: valor, at }]
    : []
}

/** When it settled, else when it was asked for. */
export function getEfiTime({ liquidacao, solicitacao }: EfiTimes): string | null {
  return liquidacao ?? solicitacao ?? null
}

function getExpiresAt({ calendario }: EfiCob): string {
  return new Date(Date.parse(calendario.criacao) + calendario.expiracao * 1000).toISOString()
}

function mapEfiParty({ nome, cpf, cnpj, codigoBanco }: EfiHolder): Party {
  return toParty({ name: nome, document: cpf ?? cnpj, ispb: codigoBanco })
}
