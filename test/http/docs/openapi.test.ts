import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { documentationRoutes } from '../../../src/api/docs/routes.ts'
import { MERCHANT_ROUTES } from '../../../src/api/merchant-routes.ts'
import { TAG_DESCRIPTIONS } from '../../../src/api/openapi/tags.ts'
import { ERROR_CATALOGUE } from '../../../src/domain/errors/error-catalogue.ts'
import { createApiMetrics } from '../../../src/metrics/api-metrics.ts'
import { renderDatabaseMetrics } from '../../../src/metrics/database-metrics.ts'
import { createWorkerMetrics } from '../../../src/metrics/worker-metrics.ts'
import { codeBlocks, runbooks } from '../../docs/support/runbooks.ts'
import { type ApiFixture, type ApiResponse, openApiFixture } from '../support/api-fixture.ts'

describe('openapi', () => {
  let fixture: ApiFixture
  let document: ApiResponse['body']
  beforeAll(async () => {
    fixture = await openApiFixture(MERCHANT_ROUTES)
    document = (await fixture.call('GET', '/openapi.json')).body
  })
  afterAll(() => fixture?.close())

  describe('the OpenAPI document', () => {
    test('is valid OpenAPI 3.1', async () => {
      const validator = new Validator()
      expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
      expect(validator.version).toBe('3.1')
    })

    test.each([
      ['get', '/api/v1/providers', 200],
      ['get', '/api/v1/providers/defaults', 200],
      ['put', '/api/v1/providers/defaults', 200],
      ['get', '/api/v1/providers/{uuid}', 200],
      ['post', '/api/v1/payments', 201],
      ['post', '/api/v1/webhooks', 201],
      ['delete', '/api/v1/webhooks/{uuid}', 200],
      ['get', '/healthz', 200],
    ] as const)('describes %s %s and its success %i', (method, path, status) => {
      expect(Object.keys(document.paths[path][method].responses)).toContain(String(status))
    })

    test.each([
      ['get', '/api/v1/providers', [200, 401, 403, 422, 429, 500, 503]],
      ['put', '/api/v1/providers/defaults', [200, 400, 401, 403, 413, 415, 422, 429, 500, 503]],
      ['post', '/api/v1/webhooks', [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503]],
      ['get', '/api/v1/webhooks/{uuid}', [200, 304, 401, 403, 404, 422, 429, 500, 503]],
      ['post', '/api/v1/webhooks/{uuid}/test', [200, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503]],
    ] as const)('lists every status of %s %s', (method, path, statuses) => {
      expect(Object.keys(document.paths[path][method].responses).map(Number)).toEqual(statuses)
    })

    test('is openapi.json in the root of the repository', async () => {
      const file = join(import.meta.dirname, '../../../openapi.json')
      const committed = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
      if (isDeepStrictEqual(committed, document)) return
      const paths = Object.keys({ ...committed, ...document }).flatMap(part =>
        listChangedKeys(committed[part], document[part]).map(key => `${part} ${key}`),
      )
      throw new Error(`openapi.json is not what the API serves. Run \`npm run openapi\`, look at the change with
\`git diff openapi.json\`, and commit it. Changed: ${paths.join(', ')}`)
    })

    test('groups every operation under one described tag', () => {
      const names = Object.keys(TAG_DESCRIPTIONS)
      expect(document.tags.map((tag: { name: string }) => tag.name)).toEqual(names)
      const received = Object.values<ApiResponse['body']>(document.webhooks).map(({ post }) => post)
      const usedTags = [...operations(), ...received].map(({ tags }) => tags)
      for (const tags of usedTags) expect([tags.length, names]).toEqual([1, expect.arrayContaining(tags)])
      expect(new Set(usedTags.flat())).toEqual(new Set(names))
    })

    test('names every operation once', () => {
      const ids = operations().map(operation => operation.operationId)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
    })

    test('requires a token on everything under /api but the check of a receipt', () => {
      for (const [path, methods] of Object.entries<object>(document.paths)) {
        for (const operation of Object.values(methods)) {
          const isPublic = !path.startsWith('/api/') || path === '/api/v1/receipts/{authentication}'
          expect([path, operation.security]).toEqual([path, isPublic ? [] : [{ token: [] }]])
        }
      }
    })

    test('describes the wire format, not internal types', () => {
      expect(document.components.schemas.Charge.properties.value).toMatchObject({ type: 'number' })
      expect(document.components.schemas.Charge.properties.created_at).toMatchObject({
        type: 'string',
        format: 'date-time',
      })
      expect(document.components.schemas.Balance.properties.available_balance).toMatchObject({
        type: 'number',
      })
    })

    test('offers Idempotency-Key where something is created, and the response headers', () => {
      const { parameters, responses } = document.paths['/api/v1/webhooks'].post
      expect(parameters.map((one: { name: string }) => one.name)).toEqual(['X-Request-Id', 'Idempotency-Key'])
      expect(Object.keys(responses['201'].headers)).toEqual([
        'X-Request-Id',
        'RateLimit',
        'RateLimit-Policy',
        'Idempotent-Replayed',
      ])
      expect(Object.keys(resolve(responses['429']).headers)).toContain('Retry-After')
    })

    test('promises no replayed response for an update of an existing resource', () => {
      const keyed = Object.entries<ApiResponse['body']>(document.paths)
        .filter(([, { post }]) => JSON.stringify(post ?? {}).match(/"Idempotency-Key"|"Idempotent-Replayed"/))
        .map(([path]) => path)
      expect(keyed.toSorted()).toEqual([
        '/api/v1/deposits/{uuid}/assign',
        '/api/v1/deposits/{uuid}/return',
        '/api/v1/meds',
        '/api/v1/meds/{uuid}/contest',
        '/api/v1/meds/{uuid}/reply',
        '/api/v1/payment-links',
        '/api/v1/payments',
        '/api/v1/payments/{uuid}/refund',
        '/api/v1/payments/{uuid}/retry',
        '/api/v1/pix-keys',
        '/api/v1/pix-keys/auth-code',
        '/api/v1/qr-codes',
        '/api/v1/recurrences',
        '/api/v1/recurrences/{uuid}/charges',
        '/api/v1/reports',
        '/api/v1/transfers',
        '/api/v1/transfers/bank-accounts',
        '/api/v1/transfers/batches',
        '/api/v1/transfers/qr-codes',
        '/api/v1/webhooks',
      ])
    })

    test('has an example for every response, each error code by its own name', () => {
      for (const { responses } of operations()) {
        for (const [status, response] of Object.entries<ApiResponse['body']>(responses)) {
          const content = resolve(response).content?.['application/json']
          if (!content) continue
          if (status.startsWith('2')) expect(content.example).toBeDefined()
          else for (const code of Object.keys(content.examples)) expect(ERROR_CATALOGUE).toHaveProperty(code)
        }
      }
    })
  })

  describe('the documentation', () => {
    test('has a reference of every operation and event, without a script of others or an inline style', async () => {
      const { status, headers, text } = await fixture.call('GET', '/docs/reference')
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const events = Object.values<ApiResponse['body']>(document.webhooks).map(({ post }) => post)
      const titles = [...operations(), ...events].map(({ summary }) => summary)
      expect(titles.length).toBeGreaterThan(50)
      expect(titles.filter(title => !text.includes(`>${title}<a class="anchor"`))).toEqual([])
      expect(text).not.toMatch(/<style|style="|<script>|undefined|\[object Object\]/)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; " +
          "base-uri 'none'; script-src 'self'; connect-src 'self'",
      )
    })

    test('finds every operation by the search', async () => {
      const sections = (await fixture.call('GET', '/docs/search/en.json')).body
      const { text } = await fixture.call('GET', '/docs/reference')
      const referenceSections = sections.filter(({ url }: { url: string }) =>
        url.startsWith('/docs/reference#'),
      )
      expect(referenceSections.map(({ title }: { title: string }) => title)).toEqual(
        operations().map(({ summary }) => summary),
      )
      for (const { url } of referenceSections) expect(text).toContain(`id="${url.split('#')[1]}"`)
    })

    test('loads only files that browsers may keep, compressed where they accept it', async () => {
      const { text } = await fixture.call('GET', '/docs/reference')
      const urls = [...text.matchAll(/ (?:src|href|data-library)="(\/docs\/assets\/[^"]+)"/g)].map(
        ([, url]) => url!,
      )
      const names = ['rail.svg', 'pico.css', 'trilho.css', 'docs.css', 'docs.js', 'rail.svg', 'search.js']
      expect(urls.map(url => url.split('/').at(-1))).toEqual(names)
      for (const url of urls) {
        const [plain, compressed] = await Promise.all(
          ['identity', 'br, gzip'].map(encoding =>
            fixture.call('GET', url, { headers: { 'Accept-Encoding': encoding } }),
          ),
        )
        expect(plain!.headers.get('content-encoding')).toBeNull()
        expect(compressed!.headers.get('content-encoding')).toBe('br')
        expect(compressed!.text).toBe(plain!.text)
        expect(Object.fromEntries(compressed!.headers)).toMatchObject({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-type': expect.stringMatching(/^(image\/svg\+xml|text\/(css|javascript))/),
          vary: 'Accept-Encoding',
        })
      }
    })

    test('serves the picture that the README shows', async () => {
      const [readme, picture] = await Promise.all([
        fixture.call('GET', '/docs/readme'),
        fixture.call('GET', '/docs/images/dashboard.png'),
      ])
      expect(readme.text).toContain('<img src="/docs/images/dashboard.png"')
      expect(readme.headers.get('content-security-policy')).toContain("img-src 'self'")
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect((await fixture.call('GET', '/docs/images/other.png')).status).toBe(404)
    })
  })

  function operations(): ApiResponse['body'][] {
    return Object.values<object>(document.paths).flatMap(methods => Object.values(methods))
  }

  function resolve(described: ApiResponse['body']): ApiResponse['body'] {
    return described.$ref ? document.components.responses[described.$ref.split('/').at(-1)] : described
  }

  function listChangedKeys(
    before: Record<string, unknown> = {},
    after: Record<string, unknown> = {},
  ): string[] {
    const keys = new Set([...Object.keys(Object(before)), ...Object.keys(Object(after))])
    return [...keys].filter(key => !isDeepStrictEqual(Object(before)[key], Object(after)[key]))
  }
})

describe('runbooks', () => {
  /** The SQL of the runbooks runs against the schema of this release. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([documentationRoutes])
  })
  afterAll(() => fixture?.close())

  test('every page that docs/runbooks.md links is served', async () => {
    const index = await fixture.call('GET', '/docs/runbooks')
    const paths = [...index.text.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path]) => path!)
    expect(paths).toEqual(
      expect.arrayContaining(runbooks.map(({ file }) => `/docs/${basename(file, '.md')}`)),
    )
    for (const path of new Set(paths)) {
      const page = await fixture.call('GET', path)
      expect([path, page.status]).toEqual([path, 200])
    }
  })

  const statements = runbooks.flatMap(runbook =>
    codeBlocks(runbook, 'sql').map(sql => ({ file: runbook.file, sql })),
  )

  test('the runbooks have SQL statements', () => expect(statements.length).toBeGreaterThan(4))

  test.each(statements)('$file runs: $#', async ({ sql }) => {
    expect(sql).toMatch(/^(select|show)\b/)
    await expect(fixture.orm.em.fork().execute(sql)).resolves.toBeInstanceOf(Array)
  })

  /** The metrics that the commands of the pages read from `GET /metrics`; `(a|b)` is read as `a` and as `b`. */
  const searched = runbooks.flatMap(runbook =>
    codeBlocks(runbook, 'sh').flatMap(block =>
      [...block.matchAll(/\/metrics" \| grep (?:-E )?'\^?(trilho_[^'{]+)/g)].flatMap(([, pattern]) => {
        const [, before, choices, after] = /^(\w*)\((.+)\)(\w*)$/.exec(pattern!) ?? [null, pattern!, '', '']
        return choices!.split('|').map(choice => ({ file: runbook.file, name: before! + choice + after! }))
      }),
    ),
  )

  test('every metric that a command reads is exported', async () => {
    const texts = [
      await createApiMetrics().registry.metrics(),
      await createWorkerMetrics('w').registry.metrics(),
      await renderDatabaseMetrics(fixture.orm),
    ]
    const names = texts.flatMap(text => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
    const series = names.flatMap(name => [name, `${name}_sum`, `${name}_count`])
    expect(searched.length).toBeGreaterThan(10)
    expect(searched.filter(({ name }) => !series.some(one => one.startsWith(name)))).toEqual([])
  })
})
