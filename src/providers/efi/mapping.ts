import type {
  FoundCharge,
  IncomingPix,
  IssuedCharge,
  Party,
  Sending,
  SendingReturn,
} from '../../domain/provider.ts'
import { party } from '../party.ts'
import { rejectionOf } from './errors.ts'
import type { Cob, Holder, Received, Returned, ReturnedToUs, Times, Transfer } from './shapes.ts'

/** Efí's objects in the words of the domain. What Efí leaves unsaid is `''`. */

export function chargeOf(cob: Cob): IssuedCharge {
  return {
    txid: cob.txid,
    payload: cob.pixCopiaECola ?? '',
    expiresAt: expiresAt(cob),
    pixKey: cob.chave ?? '',
    receiver: partyOf(cob.recebedor ?? {}),
  }
}

/**
 * The Central Bank's API has no "expired": a charge that is not completed is, once its time is over. A PIX of another
 * amount leaves it as unpaid as before.
 */
export function statusOf(cob: Cob, now: number): FoundCharge['status'] {
  switch (cob.status) {
    case 'ATIVA':
      return Date.parse(expiresAt(cob)) <= now ? 'expired' : 'open'
    case 'CONCLUIDA':
      return 'completed'
    case 'REMOVIDA_PELO_USUARIO_RECEBEDOR':
    case 'REMOVIDA_PELO_PSP':
      return 'removed'
  }
}

/** A PIX that Efí lists as received has settled; its txid is our reference; its extras know the payer's bank; a charge's key stands in where the PIX does not repeat it. */
export function paymentOf(pix: Received, chargesKey?: string | null): IncomingPix {
  const told = { ...pix.gnExtras?.pagador, ...pix.pagador }
  return {
    endToEnd: pix.endToEndId,
    txid: pix.txid ?? null,
    reference: pix.txid ?? null,
    cents: pix.valor,
    status: 'settled',
    at: pix.horario,
    payer: Object.keys(told).length > 0 ? partyOf(told) : null,
    pixKey: pix.chave ?? chargesKey ?? '',
  }
}

const sendingStatus = {
  EM_PROCESSAMENTO: 'in_process',
  DEVOLVIDO: 'settled',
  REALIZADO: 'settled',
  NAO_REALIZADO: 'rejected',
} as const

/** A devolução on its way back; its end-to-end id is the rail's return id. `at`: when settled, else when asked for. */
export function sendingOf(devolucao: Returned): Sending {
  const status = sendingStatus[devolucao.status]
  return {
    status,
    endToEnd: devolucao.rtrId ?? '',
    at: timeOf(devolucao.horario),
    ...(status === 'rejected' ? rejectionOf(devolucao.gnExtras?.erro, devolucao.motivo) : {}),
  }
}

/** A sent PIX, without what its recipient gave back. */
export function transferOf(pix: Transfer): Sending {
  const { status, endToEndId, horario, favorecido, gnExtras } = pix
  const holder = favorecido?.identificacao ?? favorecido?.contaBanco
  return {
    status: sendingStatus[status],
    endToEnd: endToEndId,
    at: timeOf(horario),
    ...(status === 'NAO_REALIZADO' ? rejectionOf(gnExtras?.erro) : {}),
    receiver: holder ? partyOf({ codigoBanco: favorecido?.contaBanco?.codigoBanco, ...holder }) : null,
  }
}

/** A return that has settled: known by the provider's own id of it, where it has one, and by the rail's once it has that. */
export function returnOf({ id, rtrId, status, valor, horario }: ReturnedToUs | Returned): SendingReturn[] {
  const at = timeOf(horario)
  const known = id || rtrId
  return status === 'DEVOLVIDO' && at && known
    ? [{ id: known, endToEnd: rtrId || null, cents: valor, at }]
    : []
}

/** When it settled, else when it was asked for. */
export function timeOf({ liquidacao, solicitacao }: Times): string | null {
  return liquidacao ?? solicitacao ?? null
}

function expiresAt({ calendario }: Cob): string {
  return new Date(Date.parse(calendario.criacao) + calendario.expiracao * 1000).toISOString()
}

function partyOf({ nome, cpf, cnpj, codigoBanco }: Holder): Party {
  return party({ name: nome, document: cpf ?? cnpj, ispb: codigoBanco })
}
