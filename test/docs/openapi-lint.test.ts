import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralParsers from '@stoplight/spectral-parsers'
import spectralRulesets from '@stoplight/spectral-rulesets'

/** The linters that developers of clients run first find no error in `openapi.json`: their libraries, without a network. */

const source = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
const LINT_TIMEOUT_MS = 180_000

test(
  'the recommended rules of Redocly find no error',
  async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    const errors = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    expect(errors).toEqual([])
  },
  LINT_TIMEOUT_MS,
)

/** Of what Spectral only warns of or leaves out by default. */
const REQUIRED_DESCRIPTIONS = {
  'operation-description': 'error',
  'oas3-parameter-description': 'error',
} as const

test(
  'the OpenAPI rules of Spectral find no error, and a description of each operation and parameter',
  async () => {
    const spectral = new spectralCore.Spectral()
    spectral.setRuleset({
      extends: { extends: [], ...spectralRulesets.oas },
      rules: REQUIRED_DESCRIPTIONS,
    })
    const problems = await spectral.run(
      new spectralCore.Document(source, spectralParsers.Json, 'openapi.json'),
    )
    const errors = problems.filter(({ severity }) => severity === 0)
    expect(errors.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([])
  },
  LINT_TIMEOUT_MS,
)
