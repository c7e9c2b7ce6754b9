import { describe, expect, test } from '@jest/globals'
import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import type { Journey } from '../../../src/domain/recurrences/recurrence.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { CallUnderTest } from './answer-tables.ts'
import { bcbErrorReply, END_TO_END, okReply, REFERENCE } from './efi-fixture.ts'
import type { HttpAnswer } from './scripted-connection-pool.ts'
import type { ProviderFixtureOptions, ScriptedProvider, ScriptedReply } from './scripted-provider.ts'

export const RAIL_ID = 'RR1234567820240115abcdefghijk'
const CHARGE_REFERENCE = '1f8fad5bd9cb469fa16570867728950e'
const IS_DEBIT = { isDue: false, isDebit: true }
const CODE = '00020126180014br.gov.bcb.pix'
const ANA = { name: 'Ana Souza', document: '52998224725' }

export const recurrenceOrder: ProviderRecurrenceRequest = {
  reference: REFERENCE,
  subject: 'Internet',
  debtor: ANA,
  frequency: 'MONTHLY',
  startsOn: '2026-02-05',
  valueCents: 5_000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'REQUEST',
  collectionKey: null,
}
const orderOf = (journey: Journey): ProviderRecurrenceRequest => ({
  ...recurrenceOrder,
  journey,
  ...((journey === 'QR_WITH_PAYMENT' || journey === 'PAYMENT_THEN_OFFER') && {
    firstChargeReference: CHARGE_REFERENCE,
  }),
})
const sentRecurrence = {
  reference: REFERENCE,
  debtor: ANA,
  railId: RAIL_ID,
  orderedAt: '2026-01-10T11:59:00.000Z',
}

export const consentRequest = {
  railId: RAIL_ID,
  debtorDocument: ANA.document,
  payerAccount: { ispb: '91193552', agency: '2569', account: '550689' },
  expiresAt: '2026-01-12T12:00:00.000Z',
}

export const debitOrder = {
  reference: REFERENCE,
  totalCents: 5_000,
  expiresInSeconds: 3600,
  collectionKey: null,
  message: 'Fevereiro',
  debit: { railId: RAIL_ID, recurrenceReference: CHARGE_REFERENCE, dueOn: '2026-02-05' },
}

/** A recurrence as a bank shows it. */
export const recOf = (changes: Record<string, unknown> = {}) => ({
  idRec: RAIL_ID,
  status: 'CRIADA',
  valor: { valorRec: '50.00' },
  vinculo: { contrato: REFERENCE, devedor: { cpf: ANA.document, nome: ANA.name }, objeto: 'Internet' },
  calendario: { dataInicial: '2026-02-05', periodicidade: 'MENSAL' },
  politicaRetentativa: 'PERMITE_3R_7D',
  recebedor: { cnpj: '11222333000181', nome: 'Loja' },
  ativacao: { tipoJornada: 'AGUARDANDO_DEFINICAO' },
  atualizacao: [{ status: 'CRIADA', data: '2026-01-10T12:00:00.000Z' }],
  ...changes,
})
const withCode = (jornada: string) => recOf({ dadosQR: { jornada, pixCopiaECola: CODE } })
const pageOf = (...recs: unknown[]) => ({
  parametros: {
    inicio: '2026-01-09T11:59:00Z',
    fim: '2026-01-11T12:00:00Z',
    paginacao: { quantidadeTotalDeItens: recs.length },
  },
  recs,
})

/** A debit as a bank shows it. */
export const cobrOf = (changes: Record<string, unknown> = {}) => ({
  idRec: RAIL_ID,
  txid: REFERENCE,
  status: 'CRIADA',
  calendario: { criacao: '2026-01-30', dataDeVencimento: '2026-02-05' },
  valor: { original: '50.00' },
  politicaRetentativa: 'PERMITE_3R_7D',
  ajusteDiaUtil: true,
  recebedor: {
    agencia: '0001',
    conta: '13525622',
    tipoConta: 'CORRENTE',
    cnpj: '11222333000181',
    nome: 'Loja',
  },
  atualizacao: [{ status: 'CRIADA', data: '2026-01-30T12:00:00.000Z' }],
  ...changes,
})
const tryOf = (changes: Record<string, unknown> = {}) => ({
  dataLiquidacao: '2026-02-05',
  tipo: 'AGND',
  status: 'SOLICITADA',
  endToEndId: END_TO_END,
  atualizacao: [],
  ...changes,
})
const retryOf = (on: string, status = 'SOLICITADA') =>
  tryOf({ dataLiquidacao: on, tipo: 'NTAG', status, endToEndId: null })
const pixOf = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '50.00',
  horario: '2026-02-05T09:00:00.000Z',
  ...changes,
})

type Story = AsyncDisposable & {
  scripted: ScriptedProvider
  provider: Provider
  recorded: { kind: string }[]
}

type BankUnderTest = {
  name: string
  open(options?: ProviderFixtureOptions): Promise<Story>
  /** Path of the API. */
  path: string
  /** What the bank answers where there is none. */
  absent: ScriptedReply
  /** The account that debits are paid to. */
  receiver: object
  /** Finds what a body has that the published schema of its call does not allow. */
  findViolations(call: 'rec' | 'solicrec' | 'cobr', body: unknown): unknown[]
}

/** Tests the calls of Pix Automático over a scripted bank. */
export function describeRecurrences({ name, open, path, absent, receiver, findViolations }: BankUnderTest) {
  const rec = `${path}/rec`
  const cobr = `${path}/cobr/${REFERENCE}`
  const refused = (type: string, ...fields: string[]) =>
    bcbErrorReply(
      400,
      type,
      fields.map(propriedade => ({ razao: 'so it is', propriedade })),
    )
  const bodiesOf = ({ scripted }: Story, method: string, target: string) =>
    scripted
      .calls()
      .filter(call => call.method === method && call.path === target)
      .map(({ body }) => JSON.parse(body))
  const pathsOf = ({ scripted }: Story) => scripted.calls().map(({ method, path: at }) => `${method} ${at}`)

  describe(`${name}: a recurrence`, () => {
    test('of a request is ordered once, under our reference as its contract', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`POST ${rec}`, okReply(recOf(), 201))
      expect(await story.provider.createRecurrence!(recurrenceOrder)).toEqual({
        kind: 'accepted',
        recurrence: { railId: RAIL_ID, status: 'waiting', payload: null },
      })
      expect(pathsOf(story)).toEqual([`POST ${rec}`])
      const [body] = bodiesOf(story, 'POST', rec)
      expect(body).toEqual({
        vinculo: { contrato: REFERENCE, devedor: { cpf: ANA.document, nome: ANA.name }, objeto: 'Internet' },
        calendario: { dataInicial: '2026-02-05', periodicidade: 'MENSAL' },
        valor: { valorRec: '50.00' },
        politicaRetentativa: 'PERMITE_3R_7D',
      })
      expect(findViolations('rec', body)).toEqual([])
    })

    test.each([
      ['QR', 'JORNADA_2', ''],
      ['QR_WITH_PAYMENT', 'JORNADA_3', `?txid=${CHARGE_REFERENCE}`],
      ['PAYMENT_THEN_OFFER', 'JORNADA_4', `?txid=${CHARGE_REFERENCE}`],
    ] as const)('of the journey %s has a location, and its code is read', async (journey, jornada, query) => {
      await using story = await open()
      story.scripted.scriptReplies(
        `POST ${path}/locrec`,
        okReply({ id: 108, location: 'pix.example.com/qr/v2/rec/1', criacao: '2026-01-10T12:00:00Z' }, 201),
      )
      story.scripted.scriptReplies(`POST ${rec}`, okReply(recOf(), 201))
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}${query}`, okReply(withCode(jornada)))
      expect(await story.provider.createRecurrence!(orderOf(journey))).toEqual({
        kind: 'accepted',
        recurrence: { railId: RAIL_ID, status: 'waiting', payload: CODE },
      })
      const [body] = bodiesOf(story, 'POST', rec)
      expect(body).toMatchObject({ loc: 108 })
      expect(body.ativacao).toEqual(query === '' ? undefined : { dadosJornada: { txid: CHARGE_REFERENCE } })
      expect(findViolations('rec', body)).toEqual([])
    })

    test('whose value varies has the least limit of its payer, and a last day', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`POST ${rec}`, okReply(recOf({ valor: undefined }), 201))
      const { valueCents: _, ...variable } = recurrenceOrder
      const orders = [
        { ...variable, minimumCents: 1_000, endsOn: '2027-02-04' },
        { ...variable, retryPolicy: 'NOT_ALLOWED', frequency: 'WEEKLY' },
      ] as const
      for (const order of orders)
        expect(await story.provider.createRecurrence!(order)).toMatchObject({
          kind: expect.stringMatching(/accepted|unknown/),
        })
      const bodies = bodiesOf(story, 'POST', rec)
      expect(bodies).toMatchObject([
        { valor: { valorMinimoRecebedor: '10.00' }, calendario: { dataFinal: '2027-02-04' } },
        {
          valor: { valorMinimoRecebedor: '0.01' },
          politicaRetentativa: 'NAO_PERMITE',
          calendario: { periodicidade: 'SEMANAL' },
        },
      ])
      expect(bodies.flatMap(body => findViolations('rec', body))).toEqual([])
    })

    test.each([
      ['another contract', { vinculo: { contrato: 'other' } }],
      ['another value', { valor: { valorRec: '50.01' } }],
      ['another first day', { calendario: { dataInicial: '2026-02-06', periodicidade: 'MENSAL' } }],
      ['another frequency', { calendario: { dataInicial: '2026-02-05', periodicidade: 'ANUAL' } }],
      ['an unlisted status', { status: 'SUSPENSA' }],
    ])('of %s in the answer is unknown, and recorded', async (_, changes) => {
      await using story = await open()
      story.scripted.scriptReplies(`POST ${rec}`, okReply(recOf(changes), 201))
      expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({ kind: 'unknown' })
      expect(story.recorded).toHaveLength(1)
    })

    test.each(['hang', 'reset', { status: 503, text: '' }] as ScriptedReply[])(
      'whose answer is lost (%j) is unknown, ordered once, and found by its contract',
      async reply => {
        await using story = await open({ reply })
        story.scripted.scriptReplies(`POST ${rec}`, reply)
        expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({ kind: 'unknown' })
        story.scripted.scriptReplies(
          `GET ${rec}`,
          okReply(
            pageOf(recOf({ vinculo: { contrato: 'other' }, idRec: `${RAIL_ID.slice(0, 28)}X` }), recOf()),
          ),
        )
        story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, okReply(recOf()))
        expect(await story.provider.findRecurrence!({ ...sentRecurrence, railId: null })).toMatchObject({
          kind: 'found',
          recurrence: { railId: RAIL_ID },
        })
        expect(bodiesOf(story, 'POST', rec)).toHaveLength(1)
        const query = new URLSearchParams(pathsOf(story)[1]!.split('?')[1])
        expect(query.get('cpf')).toBe(ANA.document)
        expect(
          query.get('inicio')! < sentRecurrence.orderedAt && query.get('fim')! > '2026-01-10T12:00:00Z',
        ).toBe(true)
      },
    )

    test('of the list is absent where none has its contract, unless an unreadable one may be it', async () => {
      await using story = await open()
      const find = () => story.provider.findRecurrence!({ ...sentRecurrence, railId: null })
      const foreign = { vinculo: { contrato: 'other' } }
      story.scripted.scriptReplies(
        `GET ${rec}`,
        okReply(pageOf()),
        okReply(pageOf(recOf(foreign))),
        okReply(pageOf({ ...foreign, status: 'SUSPENSA' })),
        okReply(pageOf({ idRec: RAIL_ID, status: 'SUSPENSA' })),
        { status: 500, text: '' },
      )
      expect(await find()).toEqual({ kind: 'not_found' })
      expect(await find()).toEqual({ kind: 'not_found' })
      expect(await find()).toEqual({ kind: 'not_found' })
      expect(await find()).toMatchObject({ kind: 'no_answer', code: 'unreadable_answer' })
      expect(await find()).toMatchObject({ kind: 'no_answer', code: 'http_500' })
    })

    test('of several with its contract is the one that has not ended', async () => {
      await using story = await open()
      const ended = recOf({ idRec: `${RAIL_ID.slice(0, 28)}X`, status: 'CANCELADA' })
      story.scripted.scriptReplies(`GET ${rec}`, okReply(pageOf(ended, recOf())))
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, okReply(recOf()))
      expect(await story.provider.findRecurrence!({ ...sentRecurrence, railId: null })).toMatchObject({
        recurrence: { railId: RAIL_ID },
      })
    })

    test('whose location is not made is not ordered', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `POST ${path}/locrec`,
        { status: 503, text: '' },
        bcbErrorReply(403, 'AcessoNegado'),
      )
      const create = () => story.provider.createRecurrence!(orderOf('QR'))
      expect(await create()).toMatchObject({ kind: 'unreachable', code: 'http_503' })
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'provider_denied' })
      expect(bodiesOf(story, 'POST', rec)).toEqual([])
    })

    test('whose code cannot be read is created all the same', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`POST ${path}/locrec`, okReply({ id: 108 }, 201))
      story.scripted.scriptReplies(`POST ${rec}`, okReply(recOf(), 201))
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, { status: 503, text: '' })
      expect(await story.provider.createRecurrence!(orderOf('QR'))).toMatchObject({
        kind: 'accepted',
        recurrence: { railId: RAIL_ID, payload: null },
      })
    })

    test('with a first charge shows no code that does not pay it', async () => {
      await using story = await open()
      const find = () =>
        story.provider.findRecurrence!({ ...sentRecurrence, firstChargeReference: CHARGE_REFERENCE })
      const target = `GET ${rec}/${RAIL_ID}?txid=${CHARGE_REFERENCE}`
      story.scripted.scriptReplies(
        target,
        okReply(withCode('JORNADA_2')),
        refused('RecConsultaInvalida', 'txid'),
      )
      expect(await find()).toMatchObject({ recurrence: { payload: null } })
      story.scripted.scriptReplies(
        `GET ${rec}/${RAIL_ID}`,
        okReply({ ...withCode('JORNADA_2'), status: 'APROVADA' }),
      )
      expect(await find()).toMatchObject({ recurrence: { status: 'active', payload: null } })
      expect(pathsOf(story)).toHaveLength(3)
    })

    test('that the bank refuses is rejected; an alphanumeric CNPJ is not ordered', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `POST ${rec}`,
        refused('RecOperacaoInvalida', 'rec.calendario.dataInicial'),
      )
      expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({
        kind: 'rejected',
        code: 'recurrence_refused',
      })
      const debtor = { name: 'Loja', document: '12ABC34501DE35' }
      expect(await story.provider.createRecurrence!({ ...recurrenceOrder, debtor })).toMatchObject({
        kind: 'rejected',
        code: 'debtor_unsupported',
      })
      expect(pathsOf(story)).toHaveLength(1)
    })

    const cancelled = (solicitante: string, codigo: string) => ({
      status: 'CANCELADA',
      encerramento: { cancelamento: { solicitante, codigo, descricao: 'so it is' } },
    })
    test.each([
      ['CRIADA', {}, { status: 'waiting' }],
      ['with a request that was sent', { solicitacao: [{ status: 'ENVIADA' }] }, { status: 'waiting' }],
      [
        'with a request at the payer’s bank',
        { solicitacao: [{ status: 'RECEBIDA' }] },
        { status: 'received' },
      ],
      ['APROVADA', { status: 'APROVADA', solicitacao: [{ status: 'ACEITA' }] }, { status: 'active' }],
      [
        'REJEITADA',
        { status: 'REJEITADA', encerramento: { rejeicao: { codigo: 'AP13' } } },
        { status: 'rejected', code: 'AP13' },
      ],
      ['EXPIRADA', { status: 'EXPIRADA' }, { status: 'expired' }],
      [
        'CANCELADA by the payer',
        cancelled('USUARIO_PAGADOR', 'SLDB'),
        { status: 'cancelled', code: 'SLDB', cancelledBy: 'payer' },
      ],
      [
        'CANCELADA by the payer’s bank',
        cancelled('PSP_PAGADOR', 'ACCL'),
        { status: 'cancelled', code: 'ACCL', cancelledBy: 'payer' },
      ],
      [
        'CANCELADA by us',
        cancelled('USUARIO_RECEBEDOR', 'SLCR'),
        { status: 'cancelled', code: 'SLCR', cancelledBy: 'receiver' },
      ],
      ['CANCELADA for no known cause', cancelled('OUTRO', 'ZZZZ'), { status: 'cancelled', code: 'ZZZZ' }],
    ])('%s is read', async (_, changes, expected) => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, okReply(recOf(changes)))
      expect(await story.provider.findRecurrence!(sentRecurrence)).toEqual({
        kind: 'found',
        recurrence: { railId: RAIL_ID, payload: null, ...expected },
      })
    })

    test('that does not exist is not found, and one of another id is no answer', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `GET ${rec}/${RAIL_ID}`,
        bcbErrorReply(404, 'RecNaoEncontrada'),
        okReply(recOf({ idRec: `${RAIL_ID.slice(0, 28)}X` })),
      )
      expect(await story.provider.findRecurrence!(sentRecurrence)).toEqual({ kind: 'not_found' })
      expect(await story.provider.findRecurrence!(sentRecurrence)).toMatchObject({ kind: 'no_answer' })
    })
  })

  describe(`${name}: a request for consent`, () => {
    const solicrec = `${path}/solicrec`
    const request = ({ provider }: Story) => provider.requestConsent!(consentRequest)

    test('is sent to the account of the payer', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `POST ${solicrec}`,
        okReply({ idSolicRec: 'SC1', idRec: RAIL_ID, status: 'CRIADA' }, 201),
      )
      expect(await request(story)).toEqual({ kind: 'requested' })
      const [body] = bodiesOf(story, 'POST', solicrec)
      expect(body).toEqual({
        idRec: RAIL_ID,
        calendario: { dataExpiracaoSolicitacao: consentRequest.expiresAt },
        destinatario: { agencia: '2569', conta: '550689', cpf: ANA.document, ispbParticipante: '91193552' },
      })
      expect(findViolations('solicrec', body)).toEqual([])
    })

    test('whose answer was lost counts as requested by its repeat', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `POST ${solicrec}`,
        { status: 503, text: '' },
        refused('SolicRecOperacaoInvalida', 'solicrec.idRec'),
      )
      story.scripted.scriptReplies(
        `GET ${rec}/${RAIL_ID}`,
        okReply(recOf({ solicitacao: [{ status: 'EXPIRADA' }, { status: 'CRIADA' }] })),
      )
      expect(await request(story)).toMatchObject({ kind: 'unknown' })
      expect(await request(story)).toEqual({ kind: 'requested' })
    })

    test.each([
      ['an active request is there', okReply(recOf({ solicitacao: [{ status: 'ENVIADA' }] })), 'requested'],
      ['the payer has answered', okReply(recOf({ status: 'APROVADA' })), 'requested'],
      ['none is active', okReply(recOf({ solicitacao: [{ status: 'EXPIRADA' }] })), 'rejected'],
      ['none is shown', okReply(recOf()), 'unknown'],
      ['the look-up fails', { status: 503, text: '' }, 'unknown'],
    ])('that is refused is looked up: %s', async (_, shown, kind) => {
      await using story = await open()
      story.scripted.scriptReplies(`POST ${solicrec}`, refused('SolicRecOperacaoInvalida'))
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, shown)
      const outcome = await request(story)
      expect(outcome.kind).toBe(kind)
      if (kind === 'unknown') expect(outcome).toHaveProperty('refusal.code', 'consent_request_refused')
    })
  })

  describe(`${name}: cancelling a recurrence`, () => {
    const cancel = ({ provider }: Story) =>
      provider.cancelRecurrence!({ railId: RAIL_ID, reference: REFERENCE })
    const target = `PATCH ${rec}/${RAIL_ID}`

    test('is done once, whatever becomes of its answers', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        target,
        { status: 503, text: '' },
        refused('RecOperacaoInvalida', 'rec.status'),
        okReply(recOf({ status: 'CANCELADA' })),
      )
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, okReply(recOf({ status: 'CANCELADA' })))
      expect(await cancel(story)).toMatchObject({ kind: 'no_answer', code: 'http_503' })
      expect(await cancel(story)).toEqual({ kind: 'cancelled' })
      expect(await cancel(story)).toEqual({ kind: 'cancelled' })
      expect(bodiesOf(story, 'PATCH', `${rec}/${RAIL_ID}`)[0]).toEqual({ status: 'CANCELADA' })
    })

    test('is refused where it has ended another way, pending where it has not yet, and not found', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        target,
        refused('RecOperacaoInvalida'),
        okReply(recOf({ status: 'APROVADA' })),
        bcbErrorReply(404, 'RecNaoEncontrada'),
      )
      story.scripted.scriptReplies(`GET ${rec}/${RAIL_ID}`, okReply(recOf({ status: 'REJEITADA' })))
      expect(await cancel(story)).toMatchObject({ kind: 'refused', code: 'recurrence_refused' })
      expect(await cancel(story)).toMatchObject({ kind: 'no_answer', code: 'cancellation_pending' })
      expect(await cancel(story)).toEqual({ kind: 'not_found' })
      expect(story.recorded).toEqual([])
    })
  })

  describe(`${name}: a debit`, () => {
    const issue = ({ provider }: Story) => provider.issueCharge(debitOrder)
    const find = ({ provider }: Story) => provider.findCharge(REFERENCE, IS_DEBIT)

    test('is ordered under our txid, without a code and a key', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${cobr}`, okReply(cobrOf(), 201))
      expect(await issue(story)).toEqual({
        kind: 'accepted',
        charge: {
          totalCents: 5_000,
          txid: REFERENCE,
          payload: '',
          expiresAt: null,
          pixKey: '',
          receiver: expect.objectContaining({ name: 'Loja' }),
        },
      })
      const [body] = bodiesOf(story, 'PUT', cobr)
      expect(body).toEqual({
        idRec: RAIL_ID,
        infoAdicional: 'Fevereiro',
        calendario: { dataDeVencimento: '2026-02-05' },
        valor: { original: '50.00' },
        ajusteDiaUtil: true,
        recebedor: receiver,
      })
      expect(findViolations('cobr', body)).toEqual([])
    })

    test.each(['CRIADA', 'ATIVA', 'CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA'])(
      'whose answer was lost is issued, whatever became of it: %s',
      async status => {
        await using story = await open()
        story.scripted.scriptReplies(
          `PUT ${cobr}`,
          { status: 503, text: '' },
          refused('CobROperacaoInvalida', 'cobr.txid'),
        )
        story.scripted.scriptReplies(`GET ${cobr}`, okReply(cobrOf({ status })))
        expect(await issue(story)).toMatchObject({ kind: 'unknown' })
        expect(await issue(story)).toMatchObject({ kind: 'accepted', charge: { txid: REFERENCE } })
      },
    )

    test('that is refused is rejected only once its absence is proved', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${cobr}`, refused('CobROperacaoInvalida', 'cobr.txid'))
      story.scripted.scriptReplies(`GET ${cobr}`, absent)
      expect(await issue(story)).toMatchObject({
        kind: 'unknown',
        code: 'charge_refused',
        refusal: { code: 'charge_refused', finality: 'other_may_help' },
      })
    })

    test.each([
      ['recurrence', { idRec: `${RAIL_ID.slice(0, 28)}X` }],
      ['value', { valor: { original: '50.01' } }],
      ['due day', { calendario: { dataDeVencimento: '2026-02-06' } }],
      ['txid', { txid: CHARGE_REFERENCE }],
    ])('of another %s in the answer is not the ordered one', async (_, changes) => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${cobr}`, okReply(cobrOf(changes), 201))
      expect(await issue(story)).toMatchObject({ kind: 'unknown', code: 'unreadable_answer' })
    })

    test.each([
      ['CRIADA', 'open'],
      ['ATIVA', 'open'],
      ['EXPIRADA', 'expired'],
      ['REJEITADA', 'failed'],
      ['CANCELADA', 'removed'],
    ])('that is %s is %s', async (status, expected) => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${cobr}`, okReply(cobrOf({ status })))
      expect(await find(story)).toMatchObject({ kind: 'found', status: expected, payments: [], tries: [] })
    })

    test('that is paid has its PIX, as any charge; without it there is no answer', async () => {
      await using story = await open()
      const paid = { status: 'CONCLUIDA', tentativas: [tryOf({ status: 'PAGA' })] }
      story.scripted.scriptReplies(
        `GET ${cobr}`,
        okReply(cobrOf({ ...paid, pix: [pixOf()] })),
        okReply(cobrOf(paid)),
      )
      expect(await find(story)).toMatchObject({
        status: 'completed',
        payments: [
          {
            endToEnd: END_TO_END,
            txid: REFERENCE,
            reference: REFERENCE,
            cents: 5_000,
            status: 'settled',
            at: '2026-02-05T09:00:00.000Z',
          },
        ],
      })
      expect(await find(story)).toMatchObject({ kind: 'no_answer', code: 'payment_not_listed' })
    })

    test.each(['EXPIRADA', 'REJEITADA', 'CANCELADA'])(
      'that is %s with an unreadable PIX has not ended',
      async status => {
        await using story = await open()
        story.scripted.scriptReplies(
          `GET ${cobr}`,
          okReply(cobrOf({ status, pix: [pixOf({ horario: 'never' })] })),
        )
        expect(await find(story)).toMatchObject({ status: 'open', payments: [] })
        expect(story.recorded).toHaveLength(1)
      },
    )

    test('has its tries by their days, with the code of each rejection', async () => {
      await using story = await open()
      const tentativas = [
        retryOf('2026-02-08', 'AGENDADA'),
        tryOf({ status: 'REJEITADA', rejeicao: { codigo: 'AM02', descricao: 'so it is' } }),
        tryOf({ tipo: 'RIFL', status: 'EXPIRADA', rejeicao: {} }),
        retryOf('2026-02-07', 'CANCELADA'),
      ]
      story.scripted.scriptReplies(`GET ${cobr}`, okReply(cobrOf({ status: 'ATIVA', tentativas })))
      expect(await find(story)).toMatchObject({
        tries: [
          { on: '2026-02-05', kind: 'FIRST', status: 'REJECTED', code: 'AM02', endToEnd: END_TO_END },
          { on: '2026-02-05', kind: 'SAME_DAY', status: 'EXPIRED', code: null, endToEnd: END_TO_END },
          { on: '2026-02-07', kind: 'RETRY', status: 'CANCELLED', code: null, endToEnd: null },
          { on: '2026-02-08', kind: 'RETRY', status: 'SCHEDULED', code: null, endToEnd: null },
        ],
      })
    })

    test.each([
      ['kind', { tipo: 'XXXX' }],
      ['status', { status: 'SUSPENSA' }],
      ['day', { dataLiquidacao: '2026-20-08' }],
    ])('with a try of an unreadable %s has no tries, and the rest', async (_, changes) => {
      await using story = await open()
      story.scripted.scriptReplies(
        `GET ${cobr}`,
        okReply(cobrOf({ status: 'ATIVA', tentativas: [tryOf(), tryOf(changes)] })),
      )
      const found = await find(story)
      expect(found).toMatchObject({ kind: 'found', status: 'open' })
      expect(found).not.toHaveProperty('tries')
      expect(story.recorded).toHaveLength(1)
    })

    test('that has ended has the code of its end', async () => {
      await using story = await open()
      story.scripted.scriptReplies(
        `GET ${cobr}`,
        okReply(cobrOf({ status: 'REJEITADA', encerramento: { rejeicao: { codigo: 'AC05' } } })),
        okReply(
          cobrOf({
            status: 'CANCELADA',
            encerramento: { cancelamento: { codigo: 'CCLD', solicitante: 'PSP_PAGADOR' } },
          }),
        ),
      )
      expect(await find(story)).toMatchObject({ status: 'failed', endCode: 'AC05' })
      expect(await find(story)).toMatchObject({ status: 'removed', endCode: 'CCLD' })
    })

    test('that is not there is not found, and one of another txid is no answer', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${cobr}`, absent, okReply(cobrOf({ txid: CHARGE_REFERENCE })))
      expect(await find(story)).toEqual({ kind: 'not_found' })
      expect(await find(story)).toMatchObject({ kind: 'no_answer' })
    })

    test('is cancelled, and refused once it is too late', async () => {
      await using story = await open()
      const cancel = () => story.provider.cancelCharge(REFERENCE, IS_DEBIT)
      story.scripted.scriptReplies(
        `PATCH ${cobr}`,
        okReply(cobrOf({ status: 'CANCELADA' })),
        { status: 503, text: '' },
        refused('CobROperacaoInvalida'),
      )
      story.scripted.scriptReplies(
        `GET ${cobr}`,
        okReply(cobrOf({ status: 'CANCELADA' })),
        okReply(cobrOf({ status: 'ATIVA' })),
      )
      expect(await cancel()).toEqual({ kind: 'cancelled' })
      expect(await cancel()).toMatchObject({ kind: 'no_answer' })
      expect(await cancel()).toEqual({ kind: 'cancelled' })
      expect(await cancel()).toMatchObject({ kind: 'refused', code: 'charge_refused' })
      expect(bodiesOf(story, 'PATCH', cobr)[0]).toEqual({ status: 'CANCELADA' })
    })
  })

  describe(`${name}: a retry`, () => {
    const on = '2026-02-07'
    const target = `POST ${cobr}/retentativa/${on}`
    const retry = ({ provider }: Story) => provider.reviseCharge!({ reference: REFERENCE, retryOn: on })
    const failed = cobrOf({ status: 'ATIVA', tentativas: [tryOf({ status: 'EXPIRADA' })] })
    const retried = cobrOf({ status: 'ATIVA', tentativas: [tryOf({ status: 'EXPIRADA' }), retryOf(on)] })
    const countRequests = (story: Story) => pathsOf(story).filter(call => call === target).length

    test('is asked for once: after a lost answer it is looked up and found', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${cobr}`, okReply(failed), okReply(retried))
      story.scripted.scriptReplies(target, { status: 503, text: '' })
      expect(await retry(story)).toMatchObject({ kind: 'no_answer' })
      expect(await retry(story)).toMatchObject({ kind: 'revised', charge: { txid: REFERENCE } })
      expect(countRequests(story)).toBe(1)
    })

    test('is confirmed by its answer, which must have it', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${cobr}`, okReply(failed))
      story.scripted.scriptReplies(target, okReply(retried, 201), okReply(failed, 201))
      expect(await retry(story)).toMatchObject({ kind: 'revised' })
      expect(await retry(story)).toMatchObject({ kind: 'no_answer', code: 'unreadable_answer' })
    })

    test.each(['REJEITADA', 'EXPIRADA', 'PAGA'])(
      'of a day that was asked for is not asked for again: %s',
      async status => {
        await using story = await open()
        story.scripted.scriptReplies(
          `GET ${cobr}`,
          okReply(cobrOf({ status: 'ATIVA', tentativas: [tryOf(), retryOf(on, status)] })),
        )
        expect(await retry(story)).toMatchObject({ kind: 'revised' })
        expect(countRequests(story)).toBe(0)
      },
    )

    test('that is refused is looked up: it is there after all, or it is not', async () => {
      await using story = await open()
      story.scripted.scriptReplies(target, refused('CobROperacaoInvalida'))
      story.scripted.scriptReplies(
        `GET ${cobr}`,
        okReply(failed),
        okReply(retried),
        okReply(failed),
        okReply(failed),
      )
      expect(await retry(story)).toMatchObject({ kind: 'revised' })
      expect(await retry(story)).toMatchObject({ kind: 'refused', code: 'charge_refused' })
    })

    test.each(['CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA'])(
      'of a debit that is %s is refused without a request',
      async status => {
        await using story = await open()
        story.scripted.scriptReplies(`GET ${cobr}`, okReply(cobrOf({ status, pix: [pixOf()] })))
        expect(await retry(story)).toMatchObject({ kind: 'refused', code: 'charge_refused' })
        expect(countRequests(story)).toBe(0)
      },
    )
  })

  test(`${name}: notifications of recurrences and debits name them, and are not believed`, async () => {
    await using story = await open()
    const read = async (body: unknown) => {
      const notification = { body: JSON.stringify(body), headers: {}, secret: 'a-secret-in-the-url' }
      const outcome = await story.provider.readNotification(notification)
      return outcome.kind === 'items' ? outcome.items.map(({ raw: _, ...item }) => item) : outcome.kind
    }
    expect(await read({ recs: [{ idRec: RAIL_ID, status: 'APROVADA', atualizacao: [] }] })).toEqual([
      { kind: 'recurrence', reference: RAIL_ID, endToEnd: null },
    ])
    const returned = pixOf({
      devolucoes: [{ id: 'refund1', natureza: 'ORIGINAL' }, { natureza: 'MED_FRAUDE' }],
    })
    expect(await read({ cobsr: [cobrOf({ tentativas: [tryOf()] }), cobrOf({ pix: [returned] })] })).toEqual([
      { kind: 'payment', reference: REFERENCE, endToEnd: null },
      { kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END },
      { kind: 'refund', reference: 'refund1', endToEnd: END_TO_END },
      { kind: 'dispute', reference: null, endToEnd: END_TO_END },
    ])
    expect(story.recorded).toEqual([])
    expect(await read({ recs: [{ status: 'APROVADA' }] })).toBe('unreadable')
    expect(await read({ cobsr: [cobrOf(), { idRec: RAIL_ID }] })).toHaveLength(1)
    expect(story.recorded).toHaveLength(2)
  })
}

/** The calls of a table of answers about Pix Automático. `noDebit`: what a look-up answers where there is none. */
export function buildRecurrenceCallsUnderTest(noDebit: HttpAnswer) {
  const answer = (body: unknown, status = 200): HttpAnswer => ({ status, body: JSON.stringify(body) })
  const unavailable = { status: 503, body: '' }
  const isRefusal =
    (code: string) =>
    ({ meaning }: { meaning: { kind: string; code?: string } }) =>
      meaning.kind === 'refused' && meaning.code === code
  const isChargeRefusal = isRefusal('charge_refused')
  /** A URL that is not registered is a warning, and the others are registered all the same. */
  const ofUrl = {
    make: async provider => {
      const { kind } = await provider.registerNotificationUrl('https://t.test/n', 'k')
      return { kind: kind === 'registered' ? 'found' : kind }
    },
    unprovenKind: 'found',
    others: answer({ webhookUrl: 'https://t.test/provider-notifications/1' }),
    absent: { kind: 'found' },
    refused: () => ({ kind: 'found' }),
  } satisfies CallUnderTest
  const calls = {
    issueDebit: {
      make: provider => provider.issueCharge(debitOrder),
      unprovenKind: 'unknown',
      others: noDebit,
      // It counts once the absence of the debit is proved.
      refused: one => (isChargeRefusal(one) ? { kind: 'unknown', code: 'charge_refused' } : undefined),
    },
    findDebit: { make: provider => provider.findCharge(REFERENCE, IS_DEBIT), unprovenKind: 'no_answer' },
    cancelDebit: {
      make: provider => provider.cancelCharge(REFERENCE, IS_DEBIT),
      unprovenKind: 'no_answer',
      others: unavailable,
      // The current state decides.
      refused: one => (isChargeRefusal(one) ? { kind: 'no_answer' } : undefined),
    },
    retryDebit: {
      make: provider => provider.reviseCharge!({ reference: REFERENCE, retryOn: '2026-02-07' }),
      unprovenKind: 'no_answer',
      requestPath: /\/retentativa\//,
      others: answer(cobrOf({ status: 'ATIVA' })),
      refused: one => (isChargeRefusal(one) ? { kind: 'refused', code: 'charge_refused' } : undefined),
    },
    createRecurrenceLocation: {
      make: async provider => {
        const outcome = await provider.createRecurrence!(orderOf('QR'))
        // Without a location nothing is ordered, whatever the answer proves.
        return outcome.kind === 'unreachable' ? { ...outcome, kind: 'unknown' } : outcome
      },
      unprovenKind: 'unknown',
      requestPath: /\/locrec$/,
      others: unavailable,
    },
    createRecurrence: {
      make: provider => provider.createRecurrence!(recurrenceOrder),
      unprovenKind: 'unknown',
    },
    findRecurrence: {
      make: provider => provider.findRecurrence!(sentRecurrence),
      unprovenKind: 'no_answer',
    },
    listRecurrences: {
      make: provider => provider.findRecurrence!({ ...sentRecurrence, railId: null }),
      unprovenKind: 'no_answer',
    },
    requestConsent: {
      make: provider => provider.requestConsent!(consentRequest),
      unprovenKind: 'unknown',
      others: answer(recOf()),
      // The requests of the recurrence decide, which the look-up does not show.
      refused: one =>
        isRefusal('consent_request_refused')(one)
          ? { kind: 'unknown', code: 'consent_request_refused' }
          : undefined,
    },
    cancelRecurrence: {
      make: provider => provider.cancelRecurrence!({ railId: RAIL_ID, reference: REFERENCE }),
      unprovenKind: 'no_answer',
      requestPath: /^PATCH /,
      others: answer(recOf({ status: 'REJEITADA' })),
      refused: one =>
        isRefusal('recurrence_refused')(one) ? { kind: 'refused', code: 'recurrence_refused' } : undefined,
    },
    findRecurrenceUrl: { ...ofUrl, requestPath: /^GET .*\/webhookrec$/ },
    registerRecurrenceUrl: { ...ofUrl, requestPath: /^PUT .*\/webhookrec$/ },
  } satisfies Record<string, CallUnderTest>
  return calls
}
