import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySpellingOf, basicFormsOf, decodePart, queryValuesOf } from './secret-spellings.ts'

/** A text, and one of its spellings: some characters percent-encoded, in either case. */
const spelled = fc
  .array(
    fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom('as is', 'lower', 'upper')),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  .map((parts) => ({
    secret: parts.map(([character]) => character).join(''),
    spelling: parts
      .map(([character, how]) => {
        const encoded = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
        if (how === 'as is') return character
        return how === 'lower' ? encoded : encoded.toUpperCase()
      })
      .join(''),
  }))

test('any spelling of a secret is found, also inside a JSON string', () => {
  fc.assert(
    fc.property(spelled, ({ secret, spelling }) => {
      const pattern = new RegExp(anySpellingOf(secret), 'g')
      expect(`a ${spelling} b`.replace(pattern, () => '*')).toBe(`a ${'*'} b`)
      expect(JSON.stringify({ spelling }).replace(pattern, () => '*')).toContain('*')
    }),
  )
})

test('other text is not', () => {
  const pattern = new RegExp(anySpellingOf('a.b c'), 'g')
  expect('axb c, a.bc, a%2Fb c, A.B C'.match(pattern)).toBeNull()
  expect('a%2Eb+c a%2eb%20c'.replace(pattern, '*')).toBe('* *')
})

test('a percent sign that encodes nothing means itself, and leaves the rest readable', () => {
  expect(decodePart('pa%ss%2Fword%ff-%E2%82%AC')).toBe('pa%ss/word%ff-€')
})

test('credentials are known by the Basic form of each spelling', () => {
  const forms = basicFormsOf({ username: 'me', password: 'a%2Fb' })
  for (const text of ['me:a/b', 'me:a%2Fb']) {
    const bytes = Buffer.from(text)
    expect(forms).toEqual(expect.arrayContaining([bytes.toString('base64'), bytes.toString('base64url')]))
  }
  expect(basicFormsOf({ username: '', password: '' })).toEqual([])
})

test('query values are known as they were written and as they are meant', () => {
  expect(queryValuesOf(new URL('https://node.example/?a=x%2Fy&b=p+q=r'))).toEqual(['x%2Fy', 'p+q=r', 'x/y', 'p q=r'])
  expect(queryValuesOf(new URL('https://node.example/')).join('')).toBe('')
})

test.each(['a', 'ab', 'abc', 'ünï:çødé €', '🐑'])('the Basic form is what programs send: %s', (word) => {
  const forms = basicFormsOf({ username: 'me', password: word })
  expect(forms).toContain(Buffer.from(`me:${word}`).toString('base64'))
  expect(forms).toContain(Buffer.from(`me:${word}`).toString('base64url'))
})
