import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * `npm run -s sbom`: prints a CycloneDX document of the production packages of package-lock.json, by `npm sbom`.
 * `npm sbom --omit=dev` itself omits every package that a development package needs too, half of the production ones,
 * so it lists all packages here and the lock file decides which ones are kept.
 */

type LockedPackage = { name?: string; version?: string; dev?: boolean; link?: boolean }
type Component = { 'bom-ref': string; name: string; properties: { name: string }[] }
type Sbom = {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const root = join(import.meta.dirname, '../..')
const lock: { name: string; packages: Record<string, LockedPackage> } = JSON.parse(
  await readFile(join(root, 'package-lock.json'), 'utf8'),
)
const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
const { stdout } = await promisify(execFile)('npm', ['sbom', ...options], { cwd: root, maxBuffer: 1 << 26 })
const sbom: Sbom = JSON.parse(stdout)

const production = new Set(listProductionPackages(lock.packages))
const main = sbom.metadata.component
const isKept = (reference: string) => reference === main['bom-ref'] || production.has(reference)
const document = {
  ...sbom,
  // npm names it by the folder.
  metadata: { ...sbom.metadata, component: { ...main, name: lock.name } },
  components: sbom.components
    .filter(component => isKept(component['bom-ref']))
    // Where a version is installed twice, npm describes the first copy, which may be a development one.
    .map(component => ({ ...component, properties: component.properties.filter(isNotDevelopment) })),
  dependencies: sbom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
}
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)

/** Lists `name@version` of every package that an installation without development packages may hold. */
function listProductionPackages(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`)
}

function isNotDevelopment({ name }: { name: string }): boolean {
  return name !== 'cdx:npm:package:development'
}
