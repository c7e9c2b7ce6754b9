import type { DocumentedAnswer } from '../../../src/providers/adapter/documented-answers.ts'
import type { HttpAnswer } from './scripted-connection-pool.ts'

type KnownAnswer = Pick<DocumentedAnswer, 'name' | 'status'>

type GeneratorInput = {
  random: { upTo: (most: number) => number }
  /** The documented answers of the call under test. */
  own: readonly KnownAnswer[]
  /** The documented answers of any call of the provider API. */
  everywhere: readonly KnownAnswer[]
  bodyOf(name: string, status: number): unknown
}

/** Generates undocumented answers of a call, each with one of the errors that banks make. */
export function createUndocumentedAnswers({
  random,
  own,
  everywhere,
  bodyOf,
}: GeneratorInput): () => HttpAnswer {
  const one = <T>(list: readonly T[]): T => list[random.upTo(list.length - 1)]!
  const status = () => 400 + random.upTo(99)
  const anyStatus = () => one([status(), status(), status(), 301, 302, 307, 500, 502, 503, 504])
  const isOwn = (name: string, code: number) => own.some(it => it.name === name && it.status === code)
  const word = () =>
    Array.from({ length: 3 + random.upTo(12) }, () => String.fromCharCode(97 + random.upTo(25))).join('')
  const json = (code: number, body: unknown): HttpAnswer => ({ status: code, body: JSON.stringify(body) })
  const text = (body: string): HttpAnswer => ({ status: anyStatus(), body })
  /** A listed answer, to be altered; of another call where this one has none. */
  const listed = () => {
    const it = one(own.length > 0 ? own : everywhere)
    return { code: it.status, it, body: bodyOf(it.name, it.status) }
  }

  const ways: (() => HttpAnswer | undefined)[] = [
    () => {
      const code = status()
      return json(code, bodyOf(`x_${word()}`, code))
    },
    () => {
      const { name } = one(everywhere)
      const code = anyStatus()
      return isOwn(name, code) ? undefined : json(code, bodyOf(name, code))
    },
    () => {
      const it = one(everywhere)
      return isOwn(it.name, it.status) ? undefined : json(it.status, bodyOf(it.name, it.status))
    },
    () => {
      const { code, it } = listed()
      const name = one([` ${it.name}`, `${it.name}_`, `x${it.name}`, it.name.slice(0, -1), it.name.slice(1)])
      return isOwn(name, code) ? undefined : json(code, bodyOf(name, code))
    },
    () => {
      const { code, body } = listed()
      const wrapped = [[body], { error: body }, { data: body }, { errors: [body] }, { erro: body }]
      return json(code, one([...wrapped, { response: { body } }, JSON.stringify(body)]))
    },
    () => {
      const { code, body } = listed()
      const whole = JSON.stringify(body)
      return { status: code, body: whole.slice(0, 1 + random.upTo(whole.length - 2)) }
    },
    () => {
      const { code, it } = listed()
      const other = [
        { name: it.name },
        { type: it.name },
        { codigo: it.name },
        { statusCode: code, message: it.name },
      ]
      return json(
        code,
        one([...other, { title: it.name, status: code }, { fault: { faultstring: it.name } }]),
      )
    },
    () => {
      const { code, it } = listed()
      return {
        status: code,
        body: one([it.name, `<html><body>${it.name}</body></html>`, `error=${it.name}`]),
      }
    },
    () => json(status(), { message: word(), error: { code: word() } }),
    () => json(status(), one([null, true, 0, '', [], {}, [[]], { nome: null }, { error: 7 }, { type: [] }])),
    () => text(''),
    () => text(`O pagamento ${word()} não pôde ser concluído. Tente novamente.`),
    () => text(`<!DOCTYPE html><html><head><title>${word()}</title></head><body></body></html>`),
    () => text(`${'<p>não encontrado</p>'.repeat(1 + random.upTo(50))}`),
    () => (random.upTo(40) === 0 ? text('x'.repeat(100_000)) : undefined),
    () => text(`{"nome":"${word()}`),
    () => text(`\u0000\ufffd${word()}`),
  ]
  return () => {
    for (;;) {
      const made = one(ways)()
      if (made) return made
    }
  }
}
