import { textFromCents } from '../../../domain/ledger/money.ts'
import { parseBrCode } from '../../../domain/pix/br-code.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'

/** How Efí writes what the rail holds: money as `"12.34"`, names in Portuguese. */

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

const TRANSFER_STATUS = {
  in_process: 'EM_PROCESSAMENTO',
  settled: 'REALIZADO',
  rejected: 'NAO_REALIZADO',
} as const satisfies Record<SimulatedTransfer['status'], string>

export function presentEfiCharge(charge: SimulatedCharge) {
  const { txid, key, payload, revision, locationId, locationCreatedAt, createdAt } = charge
  const code = parseBrCode(payload)
  const location = code.kind === 'valid' ? code.url : null
  const criacao = locationCreatedAt ?? createdAt
  return {
    calendario: { criacao: charge.createdAt, expiracao: charge.expiresInSeconds },
    txid,
    revisao: revision,
    ...(locationId > 0 ? { loc: { id: locationId, location, tipoCob: 'cob', criacao }, location } : {}),
    status: CHARGE_STATUS[charge.status],
    ...(JSON.parse(charge.details) as Record<string, unknown>),
    valor: { original: textFromCents(charge.cents) },
    chave: key,
    ...(locationId > 0 ? { pixCopiaECola: payload } : {}),
  }
}

export function presentEfiRefund(refund: SimulatedRefund) {
  return {
    id: refund.id,
    rtrId: refund.returnId,
    valor: textFromCents(refund.cents),
    natureza: refund.nature,
    horario: {
      solicitacao: refund.requestedAt,
      ...(refund.settledAt ? { liquidacao: refund.settledAt } : {}),
    },
    status: REFUND_STATUS[refund.status],
    ...(refund.status === 'rejected' && refund.reason ? { motivo: refund.reason } : {}),
  }
}

/** A received PIX, in look-ups and notices alike. */
export function presentEfiReceivedPix(receipt: Receipt, refunds: SimulatedRefund[]) {
  const payer = { nome: receipt.payerName, ...presentDocument(receipt.payerDocument) }
  return {
    endToEndId: receipt.endToEnd,
    ...(receipt.txid ? { txid: receipt.txid } : {}),
    valor: textFromCents(receipt.cents),
    chave: receipt.key,
    horario: receipt.at,
    ...(receipt.message ? { infoPagador: receipt.message } : {}),
    pagador: payer,
    gnExtras: { pagador: { ...payer, codigoBanco: receipt.payerIspb } },
    ...(refunds.length ? { devolucoes: refunds.map(presentEfiRefund) } : {}),
  }
}

/** A sent PIX as a look-up shows it. */
export function presentEfiSentPix(sending: SimulatedTransfer, returned: SimulatedReturn[]) {
  const { key, name, document, bank } = JSON.parse(sending.recipient) as SimulatedRecipient
  const identity = { nome: name, ...maskDocument(document) }
  return {
    endToEndId: sending.endToEnd,
    ...(sending.isFromPanel ? {} : { idEnvio: sending.id }),
    valor: textFromCents(sending.cents),
    chave: sending.payerKey,
    status: TRANSFER_STATUS[sending.status],
    ...(sending.message ? { infoPagador: sending.message } : {}),
    horario: {
      solicitacao: sending.requestedAt,
      ...(sending.settledAt ? { liquidacao: sending.settledAt } : {}),
    },
    favorecido:
      key === null ? { contaBanco: { ...bank, ...identity } } : { chave: key, identificacao: identity },
    ...(sending.status === 'rejected' ? { gnExtras: { erro: presentEfiRailError(sending.code!) } } : {}),
    ...(returned.length ? { devolucoes: returned.map(presentListedReturn) } : {}),
  }
}

/** A sent PIX as a notice tells it. */
export function presentEfiTransferNotification(sending: SimulatedTransfer, returned: SimulatedReturn[]) {
  return {
    endToEndId: sending.endToEnd,
    chave: sending.payerKey,
    tipo: 'SOLICITACAO',
    status: TRANSFER_STATUS[sending.status],
    valor: textFromCents(sending.cents),
    horario: sending.settledAt,
    ...(sending.message ? { infoPagador: sending.message } : {}),
    gnExtras: {
      idEnvio: sending.id,
      ...(sending.status === 'rejected' ? { erro: presentEfiRailError(sending.code!) } : {}),
    },
    ...(returned.length ? { devolucoes: returned.map(presentNotifiedReturn) } : {}),
  }
}

/** The rail's code as Efí passes it on. */
export function presentEfiRailError(code: string) {
  const known: Record<string, [origin: string, reason: string]> = {
    AB03: ['SPI', 'Liquidação da transação interrompida devido a timeout no SPI'],
    AC03: [
      RECEIVER,
      'Número da agência e/ou conta transacional do usuário recebedor inexistente ou inválido',
    ],
    AC06: [RECEIVER, 'Conta transacional do usuário recebedor encontra-se bloqueada'],
    AC07: [RECEIVER, 'Número da conta transacional do usuário recebedor encerrada'],
    AM04: ['SPI', 'Saldo insuficiente na conta PI do PSP do usuário pagador'],
    BE01: [RECEIVER, 'CPF/CNPJ do usuário recebedor não é consistente com o titular da conta'],
    FRAD: [RECEIVER, 'Fundada suspeita de fraude'],
  }
  const [origem, motivo] = known[code] ?? [RECEIVER, 'Pagamento rejeitado']
  return { codigo: code, origem, motivo }
}
const RECEIVER = 'PSP do usuário recebedor'

/** A return as a look-up of a sent PIX lists it (official SDK 2.0.1, `PixSendDetailResponseSchema`). */
function presentListedReturn({ returnId, cents, at, nature }: SimulatedReturn) {
  return {
    ...{ rtrId: returnId, valor: textFromCents(cents), horario: at },
    ...(nature.startsWith('MED_') ? { natureza: nature } : {}),
  }
}

/** A return as a notice tells it. */
function presentNotifiedReturn(returned: SimulatedReturn) {
  const { returnId, cents, at, nature: natureza } = returned
  const valor = textFromCents(cents)
  return { rtrId: returnId, valor, natureza, horario: { liquidacao: at }, status: 'DEVOLVIDO' }
}

/** Under the name its length says. */
function presentDocument(document: string): { cpf: string } | { cnpj: string } {
  return document.length === 11 ? { cpf: document } : { cnpj: document }
}

/** `***.456.789-**`: Efí shows the middle of a CPF only. */
function maskDocument(document: string): { cpf: string } | { cnpj: string } {
  if (document.length !== 11) return { cnpj: document }
  return { cpf: `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` }
}
