import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import { formatBrazilianDay } from '../../brazilian-day.ts'
import type { Receipt } from '../../receipts.ts'
import type {
  AutomaticCharge,
  AutomaticChargeEnding,
  AutomaticChargeReceiver,
  AutomaticChargeStatus,
  ChargeTry,
} from '../../recurrences/automatic-charges.ts'
import type { CancellationSource } from '../../recurrences/codes.ts'
import type { ConsentRecipient, ConsentRequest } from '../../recurrences/consent-requests.ts'
import { parseHistory } from '../../recurrences/history.ts'
import type { RecurrenceLocation } from '../../recurrences/locations.ts'
import type {
  RecurrenceEnding,
  RecurrenceStatus,
  SimulatedRecurrence,
} from '../../recurrences/recurrences.ts'
import type { BacenFrequency } from './recurrence-schemas.ts'

// Presenters of recurrences, consent requests and automatic charges (pix-api 2.9.0: Rec*, SolicRec*, CobR*).

const RECURRENCE_STATUS = {
  created: 'CRIADA',
  approved: 'APROVADA',
  rejected: 'REJEITADA',
  expired: 'EXPIRADA',
  cancelled: 'CANCELADA',
} as const satisfies Record<RecurrenceStatus, string>

const REQUEST_STATUS = {
  created: 'CRIADA',
  sent: 'ENVIADA',
  received: 'RECEBIDA',
  rejected: 'REJEITADA',
  accepted: 'ACEITA',
  expired: 'EXPIRADA',
  cancelled: 'CANCELADA',
} as const satisfies Record<ConsentRequest['status'], string>

const CHARGE_STATUS = {
  created: 'CRIADA',
  active: 'ATIVA',
  completed: 'CONCLUIDA',
  expired: 'EXPIRADA',
  rejected: 'REJEITADA',
  cancelled: 'CANCELADA',
} as const satisfies Record<AutomaticChargeStatus, string>

const TRY_STATUS = {
  requested: 'SOLICITADA',
  scheduled: 'AGENDADA',
  paid: 'PAGA',
  cancelled: 'CANCELADA',
  rejected: 'REJEITADA',
  expired: 'EXPIRADA',
} as const satisfies Record<ChargeTry['status'], string>

const TRY_KIND = { first: 'AGND', retry: 'NTAG', same_day: 'RIFL' } as const satisfies Record<
  ChargeTry['kind'],
  string
>

const SOURCES = {
  payer: 'USUARIO_PAGADOR',
  payer_bank: 'PSP_PAGADOR',
  receiver: 'USUARIO_RECEBEDOR',
  receiver_bank: 'PSP_RECEBEDOR',
} as const satisfies Record<CancellationSource, string>

const FREQUENCIES = {
  weekly: 'SEMANAL',
  monthly: 'MENSAL',
  quarterly: 'TRIMESTRAL',
  semiannual: 'SEMESTRAL',
  annual: 'ANUAL',
} as const satisfies Record<SimulatedRecurrence['frequency'], BacenFrequency>

/** Reads a frequency as the Central Bank's API names it. */
export function parseBacenFrequency(name: BacenFrequency): SimulatedRecurrence['frequency'] {
  const [frequency] = Object.entries(FREQUENCIES).find(([, one]) => one === name)!
  return frequency as SimulatedRecurrence['frequency']
}

export function nameBacenRecurrenceStatus({ status }: SimulatedRecurrence): string {
  return RECURRENCE_STATUS[status]
}

export function nameBacenAutomaticChargeStatus({ status }: AutomaticCharge): string {
  return CHARGE_STATUS[status]
}

/** Presents what a payer authorises. */
function presentTerms(recurrence: SimulatedRecurrence) {
  const { id, contract, subject, debtorName, debtorDocument, startsOn, endsOn, frequency } = recurrence
  const { cents, minimumCents, allowsRetries } = recurrence
  return {
    idRec: id,
    vinculo: {
      contrato: contract,
      devedor: { ...presentDocument(debtorDocument), nome: debtorName },
      ...(subject === null ? {} : { objeto: subject }),
    },
    calendario: {
      dataInicial: startsOn,
      ...(endsOn === null ? {} : { dataFinal: endsOn }),
      periodicidade: FREQUENCIES[frequency],
    },
    valor: {
      ...(cents === null ? {} : { valorRec: textFromCents(cents) }),
      ...(minimumCents === null ? {} : { valorMinimoRecebedor: textFromCents(minimumCents) }),
    },
    politicaRetentativa: nameRetryPolicy(allowsRetries),
  }
}

function nameRetryPolicy(allowsRetries: 0 | 1): 'PERMITE_3R_7D' | 'NAO_PERMITE' {
  return allowsRetries === 1 ? 'PERMITE_3R_7D' : 'NAO_PERMITE'
}

function presentDocument(document: string) {
  return document.length === 11 ? { cpf: document } : { cnpj: document }
}

function presentRecurrenceHistory({ history }: Pick<SimulatedRecurrence, 'history'>) {
  return parseHistory<RecurrenceStatus>(history).map(({ status, at }) => ({
    status: RECURRENCE_STATUS[status],
    data: at,
  }))
}

/** Presents the receiver of a recurrence, a company (PessoaJuridicaRecorrencia). */
function presentReceiver({ holderDocument, holderName }: SimulatedAccount) {
  return { cnpj: holderDocument, nome: holderName }
}

function presentActivation({ journey, activationTxid }: SimulatedRecurrence) {
  return {
    tipoJornada: journey === null ? 'AGUARDANDO_DEFINICAO' : `JORNADA_${journey}`,
    ...(activationTxid === null ? {} : { dadosJornada: { txid: activationTxid } }),
  }
}

function presentRecurrenceEnding({ ending }: SimulatedRecurrence) {
  return ending === null ? {} : { encerramento: presentEnding(JSON.parse(ending) as RecurrenceEnding) }
}

function presentEnding(ending: RecurrenceEnding | AutomaticChargeEnding) {
  const { code: codigo } = ending
  if (ending.kind === 'rejected') return { rejeicao: presentRejection(codigo) }
  const solicitante = SOURCES[ending.source]
  return { cancelamento: { solicitante, codigo, descricao: CANCELLATION_TEXTS[ending.source] } }
}

function presentRejection(codigo: string) {
  return { codigo, descricao: `Rejeição pelo PSP do pagador: ${codigo}` }
}

const CANCELLATION_TEXTS = {
  payer: 'Cancelamento solicitado pelo usuário pagador',
  payer_bank: 'Cancelamento solicitado pelo PSP do pagador',
  receiver: 'Cancelamento solicitado pelo usuário recebedor',
  receiver_bank: 'Cancelamento solicitado pelo PSP do recebedor',
} as const satisfies Record<CancellationSource, string>

export function presentRecurrenceLocation(
  { id, recurrenceId, createdAt }: RecurrenceLocation,
  location: string,
) {
  return { id, location, criacao: createdAt, ...(recurrenceId === null ? {} : { idRec: recurrenceId }) }
}

/** Presents a recurrence as it is created or revised (RecGerada). */
export function presentBacenRecurrence(
  account: SimulatedAccount,
  recurrence: SimulatedRecurrence,
  location: object | undefined,
) {
  const { agreement } = recurrence
  return {
    ...presentTerms(recurrence),
    recebedor: { ...presentReceiver(account), ...(agreement === null ? {} : { convenio: agreement }) },
    status: RECURRENCE_STATUS[recurrence.status],
    ...(location ? { loc: location } : {}),
    atualizacao: presentRecurrenceHistory(recurrence),
    ...presentRecurrenceEnding(recurrence),
    ativacao: presentActivation(recurrence),
  }
}

/** Presents the payer of a recurrence and its requests, which look-ups and lists show as well (RecCompleta). */
export function presentRecurrencePayer({ payerDocument, payerIspb }: SimulatedRecurrence) {
  if (payerDocument === null || payerIspb === null) return {}
  const pagador = { ...presentDocument(payerDocument), codMun: '3550308', ispbParticipante: payerIspb }
  return { pagador }
}

/** Presents a recurrence to its payer's bank (RecPayload). */
export function presentRecurrencePayload(account: SimulatedAccount, recurrence: SimulatedRecurrence) {
  return {
    ...presentTerms(recurrence),
    recebedor: { ...presentReceiver(account), ispbParticipante: account.ispb },
    atualizacao: presentRecurrenceHistory(recurrence),
  }
}

/** Presents a consent request without its recurrence (SolicRecCompleta). */
export function presentConsentRequest(request: ConsentRequest) {
  const { ispb, document, account, branch } = JSON.parse(request.recipient) as ConsentRecipient
  return {
    idSolicRec: request.id,
    idRec: request.recurrenceId,
    calendario: { dataExpiracaoSolicitacao: request.expiresAt },
    status: REQUEST_STATUS[request.status],
    destinatario: {
      ...(branch === undefined ? {} : { agencia: branch }),
      conta: account,
      ...presentDocument(document),
      ispbParticipante: ispb,
    },
    atualizacao: parseHistory<ConsentRequest['status']>(request.history).map(({ status, at }) => ({
      status: REQUEST_STATUS[status],
      data: at,
    })),
  }
}

/** Presents what a notification says of a recurrence (RecNotification). */
export function presentNotifiedRecurrence(recurrence: SimulatedRecurrence) {
  return {
    idRec: recurrence.id,
    status: RECURRENCE_STATUS[recurrence.status],
    atualizacao: presentRecurrenceHistory(recurrence),
    ...presentRecurrenceEnding(recurrence),
    ativacao: presentActivation(recurrence),
  }
}

function presentChargeState(charge: AutomaticCharge) {
  return {
    idRec: charge.recurrenceId,
    txid: charge.txid,
    status: CHARGE_STATUS[charge.status],
    atualizacao: parseHistory<AutomaticChargeStatus>(charge.history).map(({ status, at }) => ({
      status: CHARGE_STATUS[status],
      data: at,
    })),
    ...(charge.ending === null
      ? {}
      : { encerramento: presentEnding(JSON.parse(charge.ending) as AutomaticChargeEnding) }),
  }
}

/** Presents an automatic charge as it is created or cancelled (CobRGerada), without its tries. */
export function presentBacenAutomaticCharge(
  account: SimulatedAccount,
  { charge, recurrence }: { charge: AutomaticCharge; recurrence: SimulatedRecurrence },
) {
  const { account: conta, kind: tipoConta, branch } = JSON.parse(charge.receiver) as AutomaticChargeReceiver
  return {
    ...presentChargeState(charge),
    ...(charge.info === null ? {} : { infoAdicional: charge.info }),
    calendario: { criacao: formatBrazilianDay(charge.createdAt), dataDeVencimento: charge.dueOn },
    valor: { original: textFromCents(charge.cents) },
    politicaRetentativa: nameRetryPolicy(recurrence.allowsRetries),
    ajusteDiaUtil: charge.adjustsDay === 1,
    ...(charge.debtor === null ? {} : { devedor: JSON.parse(charge.debtor) as object }),
    recebedor: {
      ...(branch === undefined ? {} : { agencia: branch }),
      conta,
      tipoConta,
      ...presentReceiver(account),
    },
  }
}

/** Presents a try; `hasCode`: with the code of its rejection. */
export function presentChargeTry(chargeTry: ChargeTry, { hasCode }: { hasCode: boolean }) {
  const { day, kind, status, endToEnd, history, code } = chargeTry
  return {
    dataLiquidacao: day,
    tipo: TRY_KIND[kind],
    status: TRY_STATUS[status],
    endToEndId: endToEnd,
    atualizacao: parseHistory<ChargeTry['status']>(history).map(change => ({
      status: TRY_STATUS[change.status],
      data: change.at,
    })),
    ...(hasCode && code !== null ? { rejeicao: presentRejection(code) } : {}),
  }
}

/** Presents the payment of an automatic charge without its refunds (PixAutomatico). */
export function presentAutomaticPix({ endToEnd, txid, cents, at }: Receipt) {
  return { endToEndId: endToEnd, txid, valor: textFromCents(cents), horario: at }
}

/** Presents what a notification says of an automatic charge (CobRNotification). */
export function presentNotifiedCharge(
  charge: AutomaticCharge,
  { tries, pix }: { tries: object[]; pix: object | null },
) {
  return {
    ...presentChargeState(charge),
    ...(tries.length > 0 ? { tentativas: tries } : {}),
    ...(pix ? { pix: [pix] } : {}),
  }
}
