import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import { parseBrCode } from '../../br-code.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'

// Presenters of Efí's API: amounts as `"12.34"`, names in Portuguese. Fields are those of the official SDK 2.0.1.

/** Which fields a presenter adds to those of the SDK's types. */
export type EfiFields = {
  /** Those that only the Central Bank's API or older pages of Efí show: `natureza`, and causes of rejections. */
  unpublished: boolean
  /** The payer of a received PIX. */
  payer: boolean
}

/** Selects the fields of an account's look-ups. */
export function selectListedFields(account: SimulatedAccount): EfiFields {
  const { unpublished_fields: unpublished } = readAccountOptions(account)
  return { unpublished, payer: unpublished }
}

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

export function presentEfiRefund(refund: SimulatedRefund, { unpublished }: Pick<EfiFields, 'unpublished'>) {
  return {
    id: refund.id,
    rtrId: refund.returnId,
    valor: textFromCents(refund.cents),
    ...(unpublished ? { natureza: refund.nature } : {}),
    ...(unpublished && refund.description ? { descricao: refund.description } : {}),
    horario: {
      solicitacao: refund.requestedAt,
      ...(refund.settledAt ? { liquidacao: refund.settledAt } : {}),
    },
    status: REFUND_STATUS[refund.status],
    ...(refund.status === 'rejected' && refund.reason ? { motivo: refund.reason } : {}),
  }
}

/** Presents a received PIX in look-ups and notifications. */
export function presentEfiReceivedPix(receipt: Receipt, refunds: SimulatedRefund[], fields: EfiFields) {
  const payer = { nome: receipt.payerName, ...presentDocument(receipt.payerDocument) }
  return {
    endToEndId: receipt.endToEnd,
    ...(receipt.txid ? { txid: receipt.txid } : {}),
    valor: textFromCents(receipt.cents),
    chave: receipt.key,
    horario: receipt.at,
    ...(receipt.message ? { infoPagador: receipt.message } : {}),
    ...(fields.payer
      ? { pagador: payer, gnExtras: { pagador: { ...payer, codigoBanco: receipt.payerIspb } } }
      : {}),
    ...(refunds.length ? { devolucoes: refunds.map(refund => presentEfiRefund(refund, fields)) } : {}),
  }
}

/** Presents a sent PIX in look-ups. */
export function presentEfiSentPix(
  transfer: SimulatedTransfer,
  returns: SimulatedReturn[],
  { unpublished }: Pick<EfiFields, 'unpublished'>,
) {
  const { key, name, document, bank } = JSON.parse(transfer.recipient) as SimulatedRecipient
  const identity = { nome: name, ...maskDocument(document) }
  return {
    endToEndId: transfer.endToEnd,
    ...(transfer.isFromPanel ? {} : { idEnvio: transfer.id }),
    valor: textFromCents(transfer.cents),
    chave: transfer.payerKey,
    status: TRANSFER_STATUS[transfer.status],
    ...(transfer.message ? { infoPagador: transfer.message } : {}),
    horario: {
      solicitacao: transfer.requestedAt,
      ...(transfer.settledAt ? { liquidacao: transfer.settledAt } : {}),
    },
    favorecido:
      key === null ? { contaBanco: { ...bank, ...identity } } : { chave: key, identificacao: identity },
    ...(transfer.status === 'rejected' && unpublished
      ? { gnExtras: { erro: presentEfiRailError(transfer.code!) } }
      : {}),
    ...(returns.length ? { devolucoes: returns.map(one => presentListedReturn(one, unpublished)) } : {}),
  }
}

/** Presents a sent PIX in notifications. */
export function presentEfiTransferNotification(
  transfer: SimulatedTransfer,
  returns: SimulatedReturn[],
  { unpublished }: Pick<EfiFields, 'unpublished'>,
) {
  return {
    endToEndId: transfer.endToEnd,
    chave: transfer.payerKey,
    tipo: 'SOLICITACAO',
    status: TRANSFER_STATUS[transfer.status],
    valor: textFromCents(transfer.cents),
    horario: transfer.settledAt,
    ...(transfer.message ? { infoPagador: transfer.message } : {}),
    gnExtras: {
      idEnvio: transfer.id,
      ...(transfer.status === 'rejected' ? { erro: presentEfiRailError(transfer.code!) } : {}),
    },
    ...(returns.length ? { devolucoes: returns.map(one => presentNotifiedReturn(one, unpublished)) } : {}),
  }
}

/** Presents a code of the rail with its origin and reason. */
export function presentEfiRailError(code: string) {
  const reasons: Record<string, [origin: string, reason: string]> = {
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
  const [origem, motivo] = reasons[code] ?? [RECEIVER, 'Pagamento rejeitado']
  return { codigo: code, origem, motivo }
}
const RECEIVER = 'PSP do usuário recebedor'

/** Presents a return in look-ups of a sent PIX (official SDK 2.0.1, `PixSendDetailResponseSchema`). */
function presentListedReturn({ returnId, cents, at, nature }: SimulatedReturn, unpublished: boolean) {
  return {
    rtrId: returnId,
    valor: textFromCents(cents),
    horario: at,
    ...(unpublished && nature.startsWith('MED_') ? { natureza: nature } : {}),
  }
}

/** Presents a return in notifications. */
function presentNotifiedReturn({ returnId, cents, at, nature }: SimulatedReturn, unpublished: boolean) {
  const natureza = unpublished ? { natureza: nature } : {}
  const valor = textFromCents(cents)
  return { rtrId: returnId, valor, ...natureza, horario: { liquidacao: at }, status: 'DEVOLVIDO' }
}

function presentDocument(document: string): { cpf: string } | { cnpj: string } {
  return document.length === 11 ? { cpf: document } : { cnpj: document }
}

/** Masks a CPF as Efí does: `***.456.789-**`. */
function maskDocument(document: string): { cpf: string } | { cnpj: string } {
  if (document.length !== 11) return { cnpj: document }
  return { cpf: `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` }
}
