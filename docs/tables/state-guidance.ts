import type { GuideLanguage } from '../../src/api/docs/guide-pages.ts'
import type { ChargeEvent, ChargeState } from '../../src/domain/charges/charge.ts'
import type { DisputeEvent, DisputeState } from '../../src/domain/disputes/dispute.ts'
import type { RefundEvent, RefundState } from '../../src/domain/refunds/refund.ts'
import type { TransferEvent, TransferState } from '../../src/domain/transfers/transfer.ts'

/** What a client developer reads of each state and event. A state or event without it does not compile. */

export type Phrase = Record<GuideLanguage, string>
/** States that share a status with another one have a note, which says what they are. */
export type StateGuidance<State extends string, Event extends string> = {
  notes: Partial<Record<State, Phrase>>
  events: Record<Event, Phrase>
}

export const CHARGE_GUIDANCE: StateGuidance<ChargeState, ChargeEvent> = {
  notes: {
    debiting: { en: 'being debited', pt: 'débito em andamento' },
    paying: { en: 'being paid', pt: 'pagamento em andamento' },
    refunding: { en: 'being refunded', pt: 'devolução em andamento' },
  },
  events: {
    issued: { en: 'a provider issues the payload', pt: 'um provedor emite o código' },
    no_provider_issued: { en: 'no provider can issue it', pt: 'nenhum provedor consegue emitir' },
    debit_started: {
      en: 'the day of the debit of a recurrence comes',
      pt: 'chega o dia do débito de uma recorrência',
    },
    debit_failed: {
      en: 'the debit of a recurrence is refused, and is not tried again',
      pt: 'o débito de uma recorrência é recusado e não é mais tentado',
    },
    payment_started: { en: 'a PIX arrives', pt: 'chega um Pix' },
    payment_confirmed: { en: 'the PIX is confirmed', pt: 'o Pix é confirmado' },
    payment_failed: { en: 'the PIX fails', pt: 'o Pix falha' },
    payment_failed_after_expiry: {
      en: 'the PIX fails after `expires_at`',
      pt: 'o Pix falha depois de `expires_at`',
    },
    payment_failed_after_cancellation: {
      en: 'the PIX fails after a cancellation',
      pt: 'o Pix falha depois de um cancelamento',
    },
    payload_expired: {
      en: '`expires_at` passes, and the provider confirms that it was not paid',
      pt: '`expires_at` passa e o provedor confirma que não houve pagamento',
    },
    cancelled: { en: 'you cancel it', pt: 'você cancela' },
    cancelled_before_restore: {
      en: 'the service was restored from a backup, and it had been cancelled',
      pt: 'o serviço foi restaurado de um backup, e ela já estava cancelada',
    },
    expired_before_restore: {
      en: 'the service was restored from a backup, and it had expired',
      pt: 'o serviço foi restaurado de um backup, e ela já tinha expirado',
    },
    refund_requested: { en: 'you request a refund', pt: 'você pede uma devolução' },
    refund_settled_whole: {
      en: 'the refund settles, and nothing is left to refund',
      pt: 'a devolução é liquidada e não resta nada a devolver',
    },
    refund_settled_in_part: {
      en: 'the refund settles, and a part is left',
      pt: 'a devolução é liquidada e ainda resta uma parte',
    },
    refund_failed: {
      en: 'the refund fails, and none has settled before',
      pt: 'a devolução falha, e nenhuma foi liquidada antes',
    },
    refund_failed_after_another: {
      en: 'the refund fails, and another has settled before',
      pt: 'a devolução falha, e outra foi liquidada antes',
    },
  },
}

export const REFUND_GUIDANCE: StateGuidance<RefundState, RefundEvent> = {
  notes: {
    sending: { en: 'being sent', pt: 'em envio' },
    settling: { en: 'accepted by the provider', pt: 'aceito pelo provedor' },
  },
  events: {
    accepted: { en: 'the provider accepts it', pt: 'o provedor aceita' },
    refused: { en: 'the provider refuses it', pt: 'o provedor recusa' },
    settled: { en: 'the PIX settles', pt: 'o Pix é liquidado' },
    rejected: { en: 'the rail rejects it', pt: 'o arranjo Pix rejeita' },
    settled_late: {
      en: 'the provider reports a late settlement',
      pt: 'o provedor informa uma liquidação tardia',
    },
  },
}

export const TRANSFER_GUIDANCE: StateGuidance<TransferState, TransferEvent> = {
  notes: {
    held: { en: 'waits for approvals', pt: 'espera aprovações' },
    approved: { en: 'approved', pt: 'aprovada' },
    sending: { en: 'being sent, from one provider to the next', pt: 'em envio, de um provedor ao próximo' },
    settling: { en: 'accepted by a provider', pt: 'aceita por um provedor' },
  },
  events: {
    sending_started: {
      en: 'the first provider is called, at once or at `scheduled_for`',
      pt: 'o primeiro provedor é chamado, na hora ou em `scheduled_for`',
    },
    postponed: {
      en: 'it is scheduled, and no provider can send it now: tried again every 15 minutes',
      pt: 'é agendada e nenhum provedor consegue enviar agora: nova tentativa a cada 15 minutos',
    },
    accepted: { en: 'a provider accepts it', pt: 'um provedor aceita' },
    refused: { en: 'the last provider refuses it', pt: 'o último provedor recusa' },
    settled: { en: 'the PIX settles', pt: 'o Pix é liquidado' },
    rejected: {
      en: 'the rail rejects it: no other provider is tried',
      pt: 'o arranjo Pix rejeita: nenhum outro provedor é tentado',
    },
    not_started: {
      en: 'it was not accepted in time: nothing was sent',
      pt: 'não foi aceita a tempo: nada foi enviado',
    },
    approval_requested: {
      en: 'its value is above `approvals` of the limits',
      pt: 'o valor passa de `approvals` dos limites',
    },
    approved: {
      en: 'as many persons approve it as it needs, and your server where it has a call-out',
      pt: 'as pessoas necessárias aprovam, e o seu servidor onde há consulta',
    },
    possibly_sent: {
      en: 'the service was restored from a backup, and a provider may have it',
      pt: 'o serviço foi restaurado de um backup, e um provedor pode ter a transferência',
    },
    cancelled: {
      en: 'you cancel it before it is sent, or a person or your server rejects it',
      pt: 'você cancela antes do envio, ou uma pessoa ou o seu servidor rejeita',
    },
    never_sent: {
      en: 'its approvals are not given in time, or no provider could send it for 24 hours after `scheduled_for`',
      pt: 'as aprovações não são dadas no prazo, ou nenhum provedor conseguiu enviar nas 24 horas depois de `scheduled_for`',
    },
    settled_late: {
      en: 'the provider reports a late settlement (`late: true`)',
      pt: 'o provedor informa uma liquidação tardia (`late: true`)',
    },
    returned_in_part: { en: 'the recipient returns a part', pt: 'quem recebeu devolve uma parte' },
    returned_whole: { en: 'the recipient has returned all of it', pt: 'quem recebeu devolveu tudo' },
  },
}

export const DISPUTE_GUIDANCE: StateGuidance<DisputeState, DisputeEvent> = {
  notes: {
    requesting: { en: 'you ask for it', pt: 'você pede' },
    accepted: { en: 'the money is not returned yet', pt: 'o dinheiro ainda não voltou' },
    resolved: { en: '`resolved` is true', pt: '`resolved` é true' },
    lapsed: { en: '`resolved` is true', pt: '`resolved` é true' },
  },
  events: {
    requested: {
      en: 'the provider of your transfer accepts the request',
      pt: 'o provedor da sua transferência aceita o pedido',
    },
    request_refused: { en: 'the provider refuses the request', pt: 'o provedor recusa o pedido' },
    replied: { en: 'you reply', pt: 'você responde' },
    reply_refused: { en: 'the provider refuses the reply', pt: 'o provedor recusa a resposta' },
    deadline_passed: { en: '`due_at` passes without a reply', pt: '`due_at` passa sem resposta' },
    agreed: { en: "the claim is accepted: the payer's", pt: 'a contestação é aceita: ganha quem pagou' },
    disagreed: { en: 'the claim is rejected: yours', pt: 'a contestação é rejeitada: o dinheiro é seu' },
    withdrawn: {
      en: "the payer's bank withdraws it, or you cancel your request",
      pt: 'o banco de quem pagou desiste, ou você cancela o seu pedido',
    },
    returned: {
      en: 'the provider has returned all the money, or closes it after a part',
      pt: 'o provedor devolveu todo o dinheiro, ou encerra depois de uma parte',
    },
    closed_without_funds: {
      en: 'the provider closes it without returning money',
      pt: 'o provedor encerra sem devolver dinheiro',
    },
    return_period_ended: {
      en: 'the 91 days in which money could be returned pass without a published decision',
      pt: 'os 91 dias em que o dinheiro poderia ser devolvido passam sem decisão divulgada',
    },
  },
}
