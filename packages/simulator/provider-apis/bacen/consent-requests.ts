import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type ConsentRequest, isActiveRequest } from '../../recurrences/consent-requests.ts'
import type { SimulatorState } from '../../state.ts'
import { presentConsentRequest } from './recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'
import { createShownRecurrences } from './recurrences.ts'
import { parseBacenRequest } from './schemas.ts'

/** Creates the handlers of consent requests, `/solicrec`. */
export function createBacenConsentHandlers(
  state: SimulatorState,
  profile: BacenRecurrenceProfile,
): Record<'create' | 'show' | 'revise', (call: SimulatedCall) => SimulatedResponse> {
  const { clock, requests, recurrences } = state.recurring
  const { refusals, bodies } = profile
  const { findOwn, presentLocation } = createShownRecurrences(state)
  const present = ({ account }: SimulatedCall, request: ConsentRequest) => {
    const recurrence = recurrences.find(request.recurrenceId)!
    const recPayload = profile.presentRequested(account, recurrence, presentLocation(recurrence))
    return { ...presentConsentRequest(request), recPayload }
  }

  return {
    create: call => {
      const { account } = call
      const parsed = parseBacenRequest(bodies.request, call.body, { refusals, subject: 'solicrec' })
      if ('refusal' in parsed) return parsed.refusal
      const { idRec, calendario, destinatario } = parsed.value
      const recurrence = findOwn(account, idRec)
      if (!recurrence) return refusals.notFound('rec')
      const expiresAt = new Date(calendario.dataExpiracaoSolicitacao)
      if (expiresAt < clock.now())
        return refusals.invalid(
          'solicrec',
          'O campo solicrec.calendario.dataExpiracaoSolicitacao é anterior à data de criação da solicitação da recorrência.',
          'solicrec.calendario.dataExpiracaoSolicitacao',
        )
      if (recurrence.status !== 'created')
        return refusals.invalid('solicrec', 'A recorrência não apresenta o status CRIADA.', 'solicrec.idRec')
      const request = requests.create(account, {
        recurrenceId: idRec,
        expiresAt: expiresAt.toISOString(),
        recipient: {
          ispb: destinatario.ispbParticipante,
          document: destinatario.cpf ?? destinatario.cnpj,
          account: destinatario.conta,
          branch: destinatario.agencia,
        },
      })
      if (request) return { status: 201, body: present(call, request) }
      return refusals.invalid(
        'solicrec',
        'Existe uma solicitação ativa referente ao mesmo solicrec.idRec.',
        'solicrec.idRec',
      )
    },
    show: call => {
      const request = requests.find(call.account.id, call.params.idSolicRec!)
      return request ? { status: 200, body: present(call, request) } : refusals.notFound('solicrec')
    },
    revise: call => {
      const parsed = parseBacenRequest(bodies.requestChange, call.body, { refusals, subject: 'solicrec' })
      if ('refusal' in parsed) return parsed.refusal
      const request = requests.find(call.account.id, call.params.idSolicRec!)
      if (!request) return refusals.notFound('solicrec')
      if (!isActiveRequest(request))
        return refusals.invalid(
          'solicrec',
          'Não é possível cancelar uma solicitação de recorrência com o status diferente de CRIADA, ENVIADA ou RECEBIDA.',
          'solicrec.status',
        )
      return { status: 201, body: present(call, requests.end(request, 'cancelled')) }
    },
  }
}
