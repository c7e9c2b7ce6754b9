import type { SimulatedAccount } from '../../accounts.ts'
import { buildDynamicBrCode } from '../../br-code.ts'
import type { SimulatedCharge } from '../../charges.ts'
import { isDueCharge } from '../../due-charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { isOpen, type SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import type { SimulatorState } from '../../state.ts'
import { buildBacenListPage } from './list-page.ts'
import {
  nameBacenRecurrenceStatus,
  parseBacenFrequency,
  presentBacenRecurrence,
  presentConsentRequest,
  presentRecurrenceLocation,
  presentRecurrencePayer,
} from './recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'
import type { BacenRecurrenceRefusals } from './recurrence-refusals.ts'
import { parseBacenRequest } from './schemas.ts'

type RecurrenceHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall) => SimulatedResponse
>

/** Creates the handlers of recurrences, `/rec`. */
export function createBacenRecurrenceHandlers(
  state: SimulatorState,
  profile: BacenRecurrenceProfile,
): RecurrenceHandlers {
  const { recurrences, clock, locations, payers, requests } = state.recurring
  const { refusals, bodies } = profile
  const { findOwn, present } = createShownRecurrences(state)
  const presentWhole = (account: SimulatedAccount, recurrence: SimulatedRecurrence) => {
    const solicitacao = requests.listByRecurrence(recurrence.id).map(presentConsentRequest)
    return {
      ...present(account, recurrence),
      ...presentRecurrencePayer(recurrence),
      ...(solicitacao.length > 0 ? { solicitacao } : {}),
    }
  }
  /** Finds the location for a recurrence, which must exist and be unused. */
  const chooseLocation = (account: SimulatedAccount, id: number, recurrenceId: string | null) => {
    const location = locations.find(account.id, id)
    if (!location)
      return {
        kind: 'refused' as const,
        refusal: refusals.invalid('rec', 'O location referenciado por rec.loc inexiste.', 'rec.loc'),
      }
    const isUsed = location.recurrenceId !== null && location.recurrenceId !== recurrenceId
    const used = 'O location referenciado por rec.loc já está sendo utilizado por outra recorrência.'
    return isUsed
      ? { kind: 'refused' as const, refusal: refusals.invalid('rec', used, 'rec.loc') }
      : { kind: 'free' as const, location }
  }

  return {
    create: ({ account, body }) => {
      const parsed = parseBacenRequest(bodies.recurrence, body, { refusals, subject: 'rec' })
      if ('refusal' in parsed) return parsed.refusal
      const { vinculo, calendario, valor = {}, loc } = parsed.value
      const { dataInicial: startsOn, dataFinal: endsOn = null } = calendario
      if (startsOn < clock.today()) return refusals.invalid('rec', START_TOO_EARLY, START)
      if (endsOn !== null && endsOn < startsOn)
        return refusals.invalid(
          'rec',
          'O campo rec.calendario.dataFinal é anterior ao campo rec.calendario.dataInicial.',
          'rec.calendario.dataFinal',
        )
      const { valorRec: cents = null, valorMinimoRecebedor: minimumCents = null } = valor
      if (cents !== null && minimumCents !== null)
        return refusals.invalid(
          'rec',
          'Ambos os campos rec.valor.valorRec e rec.valor.valorMinimoRecebedor estão preenchidos.',
          'rec.valor',
        )
      const chosen = loc === undefined ? undefined : chooseLocation(account, loc, null)
      if (chosen?.kind === 'refused') return chosen.refusal
      const { devedor } = vinculo
      const recurrence = state.store.inTransaction(() => {
        const created = recurrences.create(account, {
          contract: vinculo.contrato,
          subject: vinculo.objeto ?? null,
          debtorName: devedor.nome,
          debtorDocument: 'cpf' in devedor ? devedor.cpf : devedor.cnpj,
          startsOn,
          endsOn,
          frequency: parseBacenFrequency(calendario.periodicidade),
          cents,
          minimumCents,
          allowsRetries: parsed.value.politicaRetentativa === 'PERMITE_3R_7D' ? 1 : 0,
          agreement: parsed.value.recebedor?.convenio ?? null,
          activationTxid: parsed.value.ativacao?.dadosJornada?.txid ?? null,
        })
        if (chosen) locations.attach(chosen.location, created.id)
        return created
      })
      return { status: 201, body: present(account, recurrence) }
    },
    show: ({ account, params, query }) => {
      const recurrence = findOwn(account, params.idRec!)
      if (!recurrence) return refusals.notFound('rec')
      const txid = query.get('txid')
      const charge = txid === null ? null : findJourneyCharge(state, refusals, recurrence, txid)
      if (charge && 'refusal' in charge) return charge.refusal
      const dadosQR = buildCode(state, account, recurrence, charge?.charge ?? null)
      return { status: 200, body: { ...presentWhole(account, recurrence), ...(dadosQR ? { dadosQR } : {}) } }
    },
    revise: ({ account, params, body }) => {
      const parsed = parseBacenRequest(bodies.recurrenceChange, body, { refusals, subject: 'rec' })
      if ('refusal' in parsed) return parsed.refusal
      const recurrence = findOwn(account, params.idRec!)
      if (!recurrence) return refusals.notFound('rec')
      const { status, vinculo, calendario, loc, ativacao } = parsed.value
      if (!isOpen(recurrence))
        return refusals.invalid(
          'rec',
          'A recorrência encontra-se expirada, cancelada ou rejeitada.',
          'rec.status',
        )
      const isCreated = recurrence.status === 'created'
      if (loc !== undefined && !isCreated) return refusals.invalid('rec', onlyIfCreated('loc'), 'rec.loc')
      if (calendario && !isCreated)
        return refusals.invalid('rec', onlyIfCreated('calendario.dataInicial'), START)
      if (calendario && calendario.dataInicial < clock.today())
        return refusals.invalid('rec', START_TOO_EARLY, START)
      const chosen = loc === undefined ? undefined : chooseLocation(account, loc, recurrence.id)
      if (chosen?.kind === 'refused') return chosen.refusal
      const revised = state.store.inTransaction(() => {
        const txid = ativacao?.dadosJornada?.txid
        const changed = recurrences.revise(recurrence, {
          ...(vinculo ? { debtorName: vinculo.devedor.nome } : {}),
          ...(calendario ? { startsOn: calendario.dataInicial } : {}),
          ...(txid === undefined ? {} : { activationTxid: txid }),
        })
        if (chosen) locations.attach(chosen.location, recurrence.id)
        return status ? payers.cancel(recurrence.id, 'SLCR')! : changed
      })
      return { status: 200, body: present(account, revised) }
    },
    list: call => {
      const { query } = call
      if (query.has('cpf') && query.has('cnpj'))
        return refusals.invalidQuery('rec', 'Ambos os parâmetros cpf e cnpj estão preenchidos.', 'cnpj')
      return buildBacenListPage(
        call,
        {
          field: 'recs',
          between: range => recurrences.listBetween(call.account.id, range),
          matches: recurrence => matchesQuery(state, recurrence, query),
          present: recurrence => presentWhole(call.account, recurrence),
        },
        { refusals, subject: 'rec' },
      )
    },
  }
}

const START = 'rec.calendario.dataInicial'
const START_TOO_EARLY = 'O campo rec.calendario.dataInicial é anterior à data de criação da recorrência.'

function onlyIfCreated(field: string): string {
  return `O campo rec.${field} somente pode ser alterado quando a recorrência apresentar-se com o status CRIADA.`
}

/** Creates what finds and shows the recurrences of an account. */
export function createShownRecurrences({ recurring: { recurrences, locations } }: SimulatorState) {
  const presentLocation = (recurrence: SimulatedRecurrence) => {
    const location = locations.findByRecurrence(recurrence.id)
    return location && presentRecurrenceLocation(location, locations.buildUrl(location.token))
  }
  return {
    findOwn: (account: SimulatedAccount, id: string) => {
      const recurrence = recurrences.find(id)
      return recurrence?.accountId === account.id ? recurrence : undefined
    },
    presentLocation,
    /** Presents a recurrence as it is created or revised. */
    present: (account: SimulatedAccount, recurrence: SimulatedRecurrence) =>
      presentBacenRecurrence(account, recurrence, presentLocation(recurrence)),
  }
}

/** Finds the charge for a composite code, which must fit the recurrence's journey ("RecConsultaInvalida"). */
function findJourneyCharge(
  { charges }: SimulatorState,
  refusals: BacenRecurrenceRefusals,
  recurrence: SimulatedRecurrence,
  txid: string,
): { charge: SimulatedCharge } | { refusal: SimulatedResponse } {
  const charge = charges.find(recurrence.accountId, txid)
  const { journey, activationTxid } = recurrence
  const charged = charge && (isDueCharge(charge) ? 4 : 3)
  if (!charge || (journey !== null && journey !== charged))
    return {
      refusal: refusals.invalidQuery(
        'rec',
        'O parâmetro txid não corresponde a uma cobrança compatível com o campo ativacao.tipoJornada.',
        'txid',
      ),
    }
  if (charged === 3 && txid !== activationTxid)
    return {
      refusal: refusals.invalidQuery(
        'rec',
        'O parâmetro txid corresponde a uma cobrança imediata diferente da informada no campo ativacao.dadosJornada.txid.',
        'txid',
      ),
    }
  return { charge }
}

/** Builds the code of a recurrence, alone or with a charge; undefined where one of them has no location. */
function buildCode(
  { charges, recurring: { locations } }: SimulatorState,
  account: SimulatedAccount,
  recurrence: SimulatedRecurrence,
  charge: SimulatedCharge | null,
) {
  const location = locations.findByRecurrence(recurrence.id)
  if (!location || charge?.locationId === 0) return undefined
  const jornada = charge === null ? 'JORNADA_2' : isDueCharge(charge) ? 'JORNADA_4' : 'JORNADA_3'
  const pixCopiaECola = buildDynamicBrCode({
    url: charge ? charges.locationUrl(charge.token) : null,
    recurrenceUrl: locations.buildUrl(location.token),
    totalCents: charge && !isDueCharge(charge) ? charge.cents : 0,
    merchantName: account.holderName,
    merchantCity: account.city,
  })
  return { jornada, pixCopiaECola }
}

function matchesQuery(
  { recurring: { locations } }: SimulatorState,
  recurrence: SimulatedRecurrence,
  query: URLSearchParams,
): boolean {
  const status = nameBacenRecurrenceStatus(recurrence)
  const hasLocation = String(locations.findByRecurrence(recurrence.id) !== undefined)
  return (
    matchesDebtor(recurrence, query) &&
    (query.get('status') ?? status) === status &&
    (query.get('locationPresente') ?? hasLocation) === hasLocation &&
    (query.get('convenio') ?? recurrence.agreement) === recurrence.agreement
  )
}

/** Tells whether the debtor of a recurrence is the one of a list's filter. */
export function matchesDebtor({ debtorDocument }: SimulatedRecurrence, query: URLSearchParams): boolean {
  return (query.get('cpf') ?? query.get('cnpj') ?? debtorDocument) === debtorDocument
}
