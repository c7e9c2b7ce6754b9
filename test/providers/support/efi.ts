import { efiProvider } from '../../../src/providers/efi/efi.ts'
import type { UnexplainedAnswer } from '../../../src/providers/unexplained.ts'
import { type FarSide, farSide, patienceFor, type Scripted, type Story } from './far-side.ts'

export const NOTICE_SECRET = 'a-secret-in-the-url'
export const credentials = { client_id: 'id', client_secret: 'hush', notice_secret: NOTICE_SECRET }
export const NOW = Date.parse('2026-01-10T12:00:00Z')

export const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const END_TO_END = 'E12345678202601101159abcdefghijk'
export const RETURN_ID = 'D09089356202601101201abcdefghijk'

/** An Efí that does as scripted, and an adapter that speaks to it, at noon of one day. */
export async function efi({ now = () => NOW, reply }: Story = {}) {
  const timeoutMs = patienceFor(reply)
  const far: FarSide = await farSide()
  const recorded: UnexplainedAnswer[] = []
  const recordUnexplained = async (answer: UnexplainedAnswer) => void recorded.push(answer)
  const provider = efiProvider({
    baseUrl: far.url,
    credentials,
    ca: far.ca,
    timeoutMs,
    now,
    recordUnexplained,
  })
  return {
    far,
    recorded,
    provider,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await far.close()
    },
  }
}

/** The Central Bank's error, as Efí repeats it. */
export const problem = (
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
export const refused = (status: number, nome: string) => ({
  status,
  json: { nome, mensagem: `${nome}, says Efí` },
})

export const ok = (json: unknown, status = 200): Scripted => ({ status, json })

export const cob = (changes: Record<string, unknown> = {}) => ({
  calendario: { criacao: '2026-01-10T11:59:00.000Z', expiracao: 3600 },
  txid: REFERENCE,
  revisao: 0,
  status: 'ATIVA',
  valor: { original: '12.34' },
  chave: 'chave@exemplo.com.br',
  pixCopiaECola: '00020101021226...',
  ...changes,
})

export const pix = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '12.34',
  horario: '2026-01-10T08:59:30.500-03:00',
  pagador: { nome: 'Maria', cpf: '12345678909' },
  ...changes,
})

export const devolucao = (changes: Record<string, unknown> = {}) => ({
  id: 'refund1',
  rtrId: RETURN_ID,
  valor: '5.00',
  horario: { solicitacao: '2026-01-10T12:01:00.000Z' },
  status: 'EM_PROCESSAMENTO',
  ...changes,
})

/** What may come instead of a documented answer, and its name when sending; of a look-up it is no answer. */
export const failures: [name: string, reply: Scripted, outcome: Record<string, unknown>][] = [
  ['429 without a word', { status: 429, text: '' }, { kind: 'unknown', code: 'http_429' }],
  ['422 that no page names', refused(422, 'novidade'), { kind: 'unknown', code: 'http_422' }],
  ['a name every object has', refused(400, 'constructor'), { kind: 'unknown', code: 'http_400' }],
  ["Efí's own fault", refused(400, 'erro_aplicacao'), { kind: 'unknown', code: 'http_400' }],
  ['a route that does not exist', refused(404, 'nao_encontrado'), { kind: 'unknown', code: 'http_404' }],
  ['the same of the standard', problem(404, 'NaoEncontrado'), { kind: 'unknown', code: 'http_404' }],
  [
    'an account that is not there',
    refused(404, 'conta_nao_encontrada'),
    { kind: 'unknown', code: 'http_404' },
  ],
  ['a rail code', ok({ nome: 'x', erro: { codigo: 'AM04' } }, 400), { kind: 'unknown', code: 'http_400' }],
  ['401 without a word', { status: 401, text: '' }, { kind: 'unknown', code: 'http_401' }],
  ['a 400 in no dialect', { status: 400, text: '<html>' }, { kind: 'unknown', code: 'http_400' }],
  ["a gateway's 404", ok({ status: 404, error: 'Not Found' }, 404), { kind: 'unknown', code: 'http_404' }],
  [
    "a framework's 403",
    ok({ type: 'about:blank', title: 'Forbidden' }, 403),
    { kind: 'unknown', code: 'http_403' },
  ],
  ['408', refused(408, 'x'), { kind: 'unknown', code: 'http_408' }],
  ['302', { status: 302, headers: { location: '/' } }, { kind: 'unknown', code: 'http_302' }],
  ['500 in a dialect', refused(500, 'erro_aplicacao'), { kind: 'unknown', code: 'http_500' }],
  ['503', problem(503, 'ServicoIndisponivel'), { kind: 'unknown', code: 'http_503' }],
  ['broken JSON', { status: 201, text: '{"status":"EM_' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', ok({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]
