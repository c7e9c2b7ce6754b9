import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { compileExpression, parseDurationMs, type Sample, type Scrape } from './promql.ts'

type AlertRule = { alert: string; expr: string; for?: string }

/** A drill is shorter than production's windows: every `for` and every range is divided by this. */
const TIME_FACTOR = 12
const RULES_PATH = join(import.meta.dirname, '../../deploy/alerts.yml')

/** The rules of deploy/alerts.yml, evaluated at each scrape. */
export function createAlertEvaluator(rules: AlertRule[] = readProductionRules(), timeFactor = TIME_FACTOR) {
  const compiled = rules.map(({ alert, expr, for: lasting = '0s' }) => ({
    alert,
    evaluate: compileExpression(expr),
    forMs: parseDurationMs(lasting) / timeFactor,
  }))
  const scrapes: Scrape[] = []
  const pendingSince = new Map<string, number>()
  const rang = new Set<string>()

  return {
    addScrape(scrape: Scrape): void {
      scrapes.push(scrape)
      for (const { alert, evaluate, forMs } of compiled) {
        if (evaluate(scrapes, timeFactor).length === 0) {
          pendingSince.delete(alert)
          continue
        }
        const since = pendingSince.get(alert) ?? scrape.at
        pendingSince.set(alert, since)
        if (scrape.at - since >= forMs) rang.add(alert)
      }
    },
    /** The alerts that fired, in the order they did. */
    firedAlerts: () => [...rang],
  }
}

export function readProductionRules(): AlertRule[] {
  const { groups } = parse(readFileSync(RULES_PATH, 'utf8')) as { groups: { rules: AlertRule[] }[] }
  return groups.flatMap(group => group.rules)
}

/** The samples of one exposition in Prometheus' text format, with the label `instance` added. */
export function parseSamples(exposition: string, instance: string): Sample[] {
  return exposition.split('\n').flatMap(line => {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (!found) return []
    const [, name, labels = '', value] = found
    const named = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!])
    return [{ name: name!, labels: { instance, ...Object.fromEntries(named) }, value: parseNumber(value!) }]
  })
}

function parseNumber(text: string): number {
  return text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text)
}
