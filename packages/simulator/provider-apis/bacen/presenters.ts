import { textFromCents } from '../../amount.ts'
import { parseBrCode } from '../../br-code.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { BacenChargeView } from './profile.ts'

// Presenters of the Central Bank's API: amounts as `"12.34"`, names in Portuguese.

const CHARGE_STATUS = {
  active: 'ATIVA',
  completed: 'CONCLUIDA',
  removed: 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  removed_by_provider: 'REMOVIDA_PELO_PSP',
} as const satisfies Record<SimulatedCharge['status'], string>

const REFUND_STATUS = {
  in_process: 'EM_PROCESSAMENTO',
  settled: 'DEVOLVIDO',
  rejected: 'NAO_REALIZADO',
} as const satisfies Record<SimulatedRefund['status'], string>

export function nameBacenChargeStatus({ status }: SimulatedCharge): string {
  return CHARGE_STATUS[status]
}

export function presentBacenCharge(charge: SimulatedCharge): BacenChargeView {
  const { txid, key, payload, revision, locationId, locationCreatedAt, createdAt } = charge
  const code = parseBrCode(payload)
  const location = code.kind === 'valid' ? code.url : null
  const criacao = locationCreatedAt ?? createdAt
  return {
    calendario: { criacao: charge.createdAt, expiracao: charge.expiresInSeconds },
    txid,
    revisao: revision,
    ...(locationId > 0
      ? {
          loc: { id: locationId, location, tipoCob: charge.due === null ? 'cob' : 'cobv', criacao },
          location,
        }
      : {}),
    status: CHARGE_STATUS[charge.status],
    ...(JSON.parse(charge.details) as Record<string, unknown>),
    valor: { original: textFromCents(charge.cents) },
    chave: key,
    ...(locationId > 0 ? { pixCopiaECola: payload } : {}),
  }
}

/** Presents a refund; `hasNature`: with its nature and its text, which the Central Bank's API shows and some banks do not. */
export function presentBacenRefund(refund: SimulatedRefund, { hasNature }: { hasNature: boolean }) {
  return {
    id: refund.id,
    rtrId: refund.returnId,
    valor: textFromCents(refund.cents),
    ...(hasNature ? { natureza: refund.nature } : {}),
    ...(hasNature && refund.description ? { descricao: refund.description } : {}),
    horario: {
      solicitacao: refund.requestedAt,
      ...(refund.settledAt ? { liquidacao: refund.settledAt } : {}),
    },
    status: REFUND_STATUS[refund.status],
    ...(refund.status === 'rejected' && refund.reason ? { motivo: refund.reason } : {}),
  }
}

/** Presents the refunds of a received PIX, as a part of it; nothing where it has none. */
export function listBacenRefunds(refunds: SimulatedRefund[], options: { hasNature: boolean }) {
  return refunds.length === 0
    ? {}
    : { devolucoes: refunds.map(refund => presentBacenRefund(refund, options)) }
}

/** Presents a received PIX without its refunds. */
export function presentBacenReceivedPix(receipt: Receipt) {
  return {
    endToEndId: receipt.endToEnd,
    ...(receipt.txid ? { txid: receipt.txid } : {}),
    valor: textFromCents(receipt.cents),
    chave: receipt.key,
    horario: receipt.at,
    ...(receipt.message ? { infoPagador: receipt.message } : {}),
  }
}

/** Presents the payer of a received PIX. */
export function presentBacenPayer({ payerName, payerDocument }: Receipt) {
  return {
    nome: payerName,
    ...(payerDocument.length === 11 ? { cpf: payerDocument } : { cnpj: payerDocument }),
  }
}
