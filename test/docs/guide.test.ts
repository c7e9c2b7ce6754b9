import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ERRORS_OF_GUIDE } from '../../docs/tables/error-actions.ts'
import { updateErrorActions } from '../../docs/tables/error-tables.ts'
import { updateStateTables } from '../../docs/tables/state-tables.ts'
import { GUIDE_LANGUAGES, GUIDE_PAGES } from '../../src/api/docs/guide-pages.ts'
import { EVENT_TYPES } from '../../src/domain/webhooks/webhook.ts'
import { documents, findJsonDifferences, type TestedDocument } from './support/documents.ts'

/** The guide for client developers: both languages say the same, and its tables are those of the service. */

const pageOf = (language: string, name: string) =>
  documents.find(({ file }) => file === `docs/guide/${language}/${name}.md`)!
const codeOf = ({ tokens }: TestedDocument) =>
  tokens.flatMap(token => (token.type === 'code' ? [`${token.lang}: ${token.text}`] : []))
const outlineOf = ({ tokens }: TestedDocument) =>
  tokens.flatMap(token => {
    if (token.type === 'heading') return [`heading ${token.depth}`]
    return token.type === 'table' ? ['table'] : []
  })

test.each(GUIDE_PAGES.en.map(({ name }) => name))(
  'the Portuguese page %s has the headings, tables and code of the English one',
  name => {
    const [english, portuguese] = [pageOf('en', name), pageOf('pt', name)]
    expect(codeOf(portuguese)).toEqual(codeOf(english))
    expect(outlineOf(portuguese)).toEqual(outlineOf(english))
  },
)

test.each(GUIDE_LANGUAGES)(
  'the tables of states and errors are those of the service (%s): npm run docs:tables',
  language => {
    const [states, errors] = [pageOf(language, 'states').text, pageOf(language, 'errors').text]
    expect(states.match(/<!-- made: states-\w+ -->/g)).toHaveLength(4)
    expect(updateStateTables(states, language)).toBe(states)
    expect(errors).toContain('<!-- made: error-actions -->')
    expect(updateErrorActions(errors, language)).toBe(errors)
  },
)

test('every error that an API client can receive has guidance in Portuguese', () => {
  const silent = Object.entries(ERRORS_OF_GUIDE).filter(
    ([, { action, pt }]) => action !== 'dashboard' && pt === '',
  )
  expect(silent).toEqual([])
})

test.each(GUIDE_LANGUAGES)(
  'the guide shows one body of every event type, as the API documents it (%s)',
  async language => {
    const { webhooks } = JSON.parse(await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
    const bodies = pageOf(language, 'webhooks').tokens.flatMap(token =>
      token.type === 'code' && token.lang === 'json' ? [JSON.parse(token.text)] : [],
    )
    expect(bodies.map(({ type }) => type).toSorted()).toEqual(EVENT_TYPES.toSorted())
    for (const body of bodies) {
      const { example } = webhooks[body.type].post.requestBody.content['application/json']
      expect(findJsonDifferences(example, body)).toEqual([])
    }
    expect(bodies.find(({ type }) => type === 'REFUND').data.refund.value).toBeGreaterThan(0)
  },
)

test.each([
  ['another number', { value: 1 }, { value: 2 }],
  ['a missing field', {}, { value: 1 }],
  ['another text', { status: 'PAID' }, { status: 'PENDING' }],
  ['a text of another form', { at: 'today' }, { at: '2026-11-26T20:01:51.476000Z' }],
  ['another kind of value', { data: [] }, { data: { uuid: '…' } }],
  ['a missing item', { data: [] }, { data: [{ value: 1 }] }],
])('a documented answer that differs by %s is found', (_what, actual, shown) => {
  expect(findJsonDifferences(actual, shown)).toHaveLength(1)
})

test('a documented answer may leave out fields, and shorten texts', () => {
  const shown = {
    uuid: 'd2ee8c73-3061-8d7d-b314-bd3bf2a02e69',
    payload: '0002…',
    list: [{ at: '2026-11-26T20:01:51.476000Z' }],
  }
  const actual = {
    uuid: '08168bb0-19f3-431f-9de0-02016764fc4c',
    payload: '000201',
    list: [{ at: '2026-12-01T00:00:00Z' }, {}],
    more: 1,
  }
  expect(findJsonDifferences(actual, shown)).toEqual([])
})
