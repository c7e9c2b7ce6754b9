import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createEfiAdapter } from '../../../src/providers/efi/adapter.ts'
import {
  type ProviderFixtureOptions,
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
  timeoutMsFor,
} from './scripted-provider.ts'

export const NOTIFICATION_SECRET = 'a-secret-in-the-url'
export const credentials = {
  client_id: 'id',
  client_secret: 'hush',
  account_number: '13525622',
  notification_secret: NOTIFICATION_SECRET,
}
export const NOW = Date.parse('2026-01-10T12:00:00Z')

export const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const END_TO_END = 'E12345678202601101159abcdefghijk'
export const RETURN_ID = 'D09089356202601101201abcdefghijk'

/** A scripted Efí, and an adapter that calls it, at noon of one day. */
export async function openEfiFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const timeoutMs = timeoutMsFor(reply)
  const scripted: ScriptedProvider = await startScriptedProvider()
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const recordUnexplained = async (answer: UnexplainedAnswer) => void unexplainedAnswers.push(answer)
  const provider = createEfiAdapter({
    baseUrl: scripted.url,
    credentials,
    ca: scripted.ca,
    timeoutMs,
    now,
    recordUnexplained,
  })
  return {
    scripted,
    recorded: unexplainedAnswers,
    provider,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
    },
  }
}

/** The Central Bank's error, as Efí repeats it. */
export const bcbErrorReply = (
  status: number,
  type: string,
  violacoes?: { razao: string; propriedade: string }[],
) => ({
  status,
  json: {
    type: `https://pix.bcb.gov.br/api/v2/error/${type}`,
    title: type,
    status,
    detail: 'so it is',
    violacoes,
  },
})
/** Efí's own error. */
export const efiErrorReply = (status: number, nome: string) => ({
  status,
  json: { nome, mensagem: `${nome}, says Efí` },
})

export const okReply = (json: unknown, status = 200): ScriptedReply => ({ status, json })

export const cobOf = (changes: Record<string, unknown> = {}) => ({
  calendario: { criacao: '2026-01-10T11:59:00.000Z', expiracao: 3600 },
  txid: REFERENCE,
  revisao: 0,
  status: 'ATIVA',
  valor: { original: '12.34' },
  chave: 'chave@exemplo.com.br',
  pixCopiaECola: '00020101021226...',
  ...changes,
})

export const pixOf = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '12.34',
  horario: '2026-01-10T08:59:30.500-03:00',
  pagador: { nome: 'Maria', cpf: '12345678909' },
  ...changes,
})

export const devolucaoOf = (changes: Record<string, unknown> = {}) => ({
  id: 'refund1',
  rtrId: RETURN_ID,
  valor: '5.00',
  horario: { solicitacao: '2026-01-10T12:01:00.000Z' },
  status: 'EM_PROCESSAMENTO',
  ...changes,
})

/** Replies in place of a documented one, with their names when sending; for a lookup each is no answer. */
export const UNEXPLAINED_REPLIES: [name: string, reply: ScriptedReply, outcome: Record<string, unknown>][] = [
  ['429 without a body', { status: 429, text: '' }, { kind: 'unknown', code: 'http_429' }],
  ['422 that no page names', efiErrorReply(422, 'novidade'), { kind: 'unknown', code: 'http_422' }],
  ['a name every object has', efiErrorReply(400, 'constructor'), { kind: 'unknown', code: 'http_400' }],
  ["Efí's own fault", efiErrorReply(400, 'erro_aplicacao'), { kind: 'unknown', code: 'http_400' }],
  [
    'a route that does not exist',
    efiErrorReply(404, 'nao_encontrado'),
    { kind: 'unknown', code: 'http_404' },
  ],
  ['the same of the standard', bcbErrorReply(404, 'NaoEncontrado'), { kind: 'unknown', code: 'http_404' }],
  [
    'an account that is not there',
    efiErrorReply(404, 'conta_nao_encontrada'),
    { kind: 'unknown', code: 'http_404' },
  ],
  [
    'a rail code',
    okReply({ nome: 'x', erro: { codigo: 'AM04' } }, 400),
    { kind: 'unknown', code: 'http_400' },
  ],
  ['401 without a body', { status: 401, text: '' }, { kind: 'unknown', code: 'http_401' }],
  ['a 400 of an undocumented shape', { status: 400, text: '<html>' }, { kind: 'unknown', code: 'http_400' }],
  [
    "a gateway's 404",
    okReply({ status: 404, error: 'Not Found' }, 404),
    { kind: 'unknown', code: 'http_404' },
  ],
  [
    "a framework's 403",
    okReply({ type: 'about:blank', title: 'Forbidden' }, 403),
    { kind: 'unknown', code: 'http_403' },
  ],
  ['408', efiErrorReply(408, 'x'), { kind: 'unknown', code: 'http_408' }],
  ['302', { status: 302, headers: { location: '/' } }, { kind: 'unknown', code: 'http_302' }],
  ['500 of a documented shape', efiErrorReply(500, 'erro_aplicacao'), { kind: 'unknown', code: 'http_500' }],
  ['503', bcbErrorReply(503, 'ServicoIndisponivel'), { kind: 'unknown', code: 'http_503' }],
  ['broken JSON', { status: 201, text: '{"status":"EM_' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', okReply({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]
