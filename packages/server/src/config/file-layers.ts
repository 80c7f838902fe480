/** What a configuration file's content says: settings at the top, and an entry for each chain under `chains`. */
import type { ConfigProblem } from './config-problems.ts'
import type { Layer } from './layer.ts'
import { findNearestName } from './nearest-name.ts'
import { CHAIN_SETTING_NAMES, SETTING_NAMES, settingOf } from './settings.ts'

type JsonObject = Readonly<Record<string, unknown>>

const FILE_SETTING_NAMES = SETTING_NAMES.filter((name) => settingOf(name).outsideFile !== true)

export function fileLayers(content: unknown): { readonly top: Layer; readonly chains: readonly Layer[] } {
  const root = isObject(content) ? content : {}
  const entries = Array.isArray(root.chains) ? root.chains.filter(isObject) : []
  return {
    top: layerOf(root, '', FILE_SETTING_NAMES),
    chains: entries.map((entry, index) => layerOf(entry, `chains[${index}].`, CHAIN_SETTING_NAMES)),
  }
}

function layerOf(values: JsonObject, prefix: string, names: readonly string[]): Layer {
  return {
    source: 'file',
    find: (name) => (names.includes(name) && Object.hasOwn(values, name) ? values[name] : undefined),
    place: (name) => `${prefix}${name} in the configuration file`,
  }
}

export function unknownFileKeys(content: unknown): readonly ConfigProblem[] {
  if (!isObject(content)) return [{ place: 'configuration file', message: 'must contain an object of settings' }]
  const { chains, ...top } = content
  const problems = unknownKeys(top, '', FILE_SETTING_NAMES)
  if (chains === undefined) return problems
  if (!Array.isArray(chains) || chains.length === 0 || !chains.every(isObject))
    return [
      ...problems,
      { place: 'chains in the configuration file', message: 'must be a list of objects, one per chain' },
    ]
  return [
    ...problems,
    ...chains.flatMap((entry, index) => unknownKeys(entry, `chains[${index}].`, CHAIN_SETTING_NAMES)),
  ]
}

function unknownKeys(values: JsonObject, prefix: string, names: readonly string[]): readonly ConfigProblem[] {
  return Object.keys(values)
    .filter((key) => !names.includes(key))
    .map((key) => {
      const nearest = findNearestName(key, names)
      const hint = nearest === null ? `the settings are ${names.join(', ')}` : `did you mean ${nearest}?`
      return { place: `${prefix}${key} in the configuration file`, message: `is not a setting; ${hint}` }
    })
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
