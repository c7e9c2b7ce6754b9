import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { ChargeTry } from '../../recurrences/automatic-charges.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'
import { presentBacenComponents, presentBacenDueCharge } from '../bacen/due-presenters.ts'
import { presentBacenPayer, presentBacenReceivedPix, presentBacenRefund } from '../bacen/presenters.ts'
import type { BacenChargeView } from '../bacen/profile.ts'
import { presentChargeTry } from '../bacen/recurrence-presenters.ts'

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

/** Presents a charge with a due date; its receiver has what the SDK's type of a receiver requires. */
export function presentEfiDueCharge(account: SimulatedAccount, charge: SimulatedCharge): BacenChargeView {
  const { recebedor, location: _, ...others } = presentBacenDueCharge(account, charge) as BacenChargeView
  const receiver = { ...(recebedor as object), email: 'loja@exemplo.com.br' }
  const isCompany = account.holderDocument.length === 14
  return { ...others, recebedor: { ...receiver, ...(isCompany && { nomeFantasia: account.holderName }) } }
}

/** Presents a charge with a due date in look-ups, as the SDK's type of its details has it. */
export function presentListedEfiDueCharge(
  account: SimulatedAccount,
  charge: SimulatedCharge,
): BacenChargeView {
  const { loc, location: _, ...shown } = presentBacenDueCharge(account, charge) as BacenChargeView
  const { pixCopiaECola, ...others } = shown
  const { criacao: __, ...location } = (loc ?? {}) as Record<string, unknown>
  const hasPayload = charge.status === 'active' || selectListedFields(account).unpublished
  return {
    ...others,
    ...(loc ? { loc: location } : {}),
    ...(hasPayload && pixCopiaECola !== undefined ? { pixCopiaECola } : {}),
  }
}

/** Presents a try of an automatic charge; the SDK's strict type of a try lacks the code of its rejection. */
export function presentEfiTry(account: SimulatedAccount, chargeTry: ChargeTry) {
  return presentChargeTry(chargeTry, { hasCode: selectListedFields(account).unpublished })
}

const TRANSFER_STATUS = {
  in_process: 'EM_PROCESSAMENTO',
  settled: 'REALIZADO',
  rejected: 'NAO_REALIZADO',
} as const satisfies Record<SimulatedTransfer['status'], string>

/** Presents a received PIX in look-ups and notifications. */
export function presentEfiReceivedPix(receipt: Receipt, refunds: SimulatedRefund[], fields: EfiFields) {
  const payer = presentBacenPayer(receipt)
  return {
    ...presentBacenReceivedPix(receipt),
    // The SDK's strict schema of a received PIX lacks them.
    ...(fields.unpublished ? presentBacenComponents(receipt) : {}),
    ...(fields.payer
      ? { pagador: payer, gnExtras: { pagador: { ...payer, codigoBanco: receipt.payerIspb } } }
      : {}),
    ...(refunds.length
      ? { devolucoes: refunds.map(refund => presentBacenRefund(refund, { hasNature: fields.unpublished })) }
      : {}),
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

/** Masks a CPF as Efí does: `***.456.789-**`. */
function maskDocument(document: string): { cpf: string } | { cnpj: string } {
  if (document.length !== 11) return { cnpj: document }
  return { cpf: `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` }
}
