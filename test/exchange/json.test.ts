import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import { parseJson } from '../../src/exchange/json.ts';

function refusal(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    expect(error).toBeInstanceOf(SciaticaError);
    expect((error as SciaticaError).code).toBe('invalid');
    return (error as SciaticaError).message;
  }
  throw new Error('was accepted');
}

const NOT_JSON = 'This is not valid JSON: ';

describe('malformed JSON is refused with its place', () => {
  it.each([
    ['', 'expected a value at the end, line 1, column 1'],
    ['  ', 'expected a value at the end, line 1, column 3'],
    ['{', 'expected a key in double quotes or } at the end, line 1, column 2'],
    ['{"a":1,}', 'expected a key in double quotes at line 1, column 8'],
    ['{"a" 1}', 'expected a colon at line 1, column 6'],
    ['{"a":1 "b":2}', 'expected a comma or } at line 1, column 8'],
    ['{\n  "a": 1,\n  b: 2\n}', 'expected a key in double quotes at line 3, column 3'],
    ['[1,]', 'expected a value at line 1, column 4'],
    ['[', 'expected a value or ] at the end, line 1, column 2'],
    ['[1 2]', 'expected a comma or ] at line 1, column 4'],
    ['[1}', 'expected a comma or ] at line 1, column 3'],
    ['[01]', 'expected a value or ] at line 1, column 2'],
    ['[1.]', 'expected a value or ] at line 1, column 2'],
    ['[+1]', 'expected a value or ] at line 1, column 2'],
    ['NaN', 'expected a value at line 1, column 1'],
    ['truely', 'expected a value at line 1, column 1'],
    ['{} {}', 'nothing more was expected at line 1, column 4'],
    ['"a', 'a string is not closed at the end, line 1, column 3'],
    ['"a\\x"', 'a wrong escape in a string at line 1, column 3'],
    ['"a\nb"', 'a raw control character in a string at line 1, column 3'],
    ['"\\', 'a wrong escape in a string at line 1, column 2'],
    ["{'a':1}", 'expected a key in double quotes or } at line 1, column 2'],
    ['\u00a01', 'expected a value at line 1, column 1'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toBe(`${NOT_JSON}${message}.`);
  });
});

describe('the same key twice is refused', () => {
  it.each([
    ['{"a":1,"a":2}', 'line 1, column 8'],
    ['{"a":1,\n "b":{"c":1 , "c" : 2}}', 'line 2, column 15'],
    ['{"a":1,"\\u0061":2}', 'line 1, column 8'],
    ['[{"a":[{"b":1,"b":1}]}]', 'line 1, column 15'],
    ['{"":1,"":1}', 'line 1, column 7'],
    ['{"\\\\":1,"\\\\":1}', 'line 1, column 9'],
    ['{"__proto__":1,"__proto__":2}', 'line 1, column 16'],
    ['{"a":{"b":1},"a":1}', 'line 1, column 14'],
  ])('%j', (text, where) => {
    expect(refusal(text)).toBe(`The same key stands twice in one object at ${where}.`);
  });

  it.each([
    ['{"a":{"a":{"a":1}}}'],
    ['[{"a":1},{"a":1}]'],
    ['{"a":"a","b":"\\"a\\":"}'],
    ['{"a":["a","a"],"b":"a"}'],
    ['{"a":1,"A":2}'],
    ['{"2":":","1":"\\":"}'],
    ['{"__proto__":{"a":1},"a" :1}'],
    ['{"a\\\\":1,"a":"\\\\\\""}'],
  ])('but %j is fine', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

it('takes any depth, in a moment', () => {
  const depth = 100_000;
  const deep = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
  expect(() => parseJson(deep)).not.toThrow();
  expect(refusal(deep.replace('1', '{"b":1,"b":2}'))).toContain('stands twice');
  expect(refusal('['.repeat(depth))).toContain(`column ${depth + 1}`);
  expect(refusal('{"a":'.repeat(depth))).toContain('expected a value');
});

it('takes very long strings, of backslashes too', () => {
  const text = JSON.stringify({
    a: '\\'.repeat(1_000_000),
    b: '"'.repeat(1_000_000),
    c: 'x'.repeat(5_000_000),
  });
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(refusal(text.slice(0, -2))).toContain('not closed');
});

it('agrees with JSON.parse on every JSON value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('places a fault in every damaged text, and shows none of it', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', '§', '"', '\\', ',', '{', '\n'),
      (json, n, damage) => {
        const at = n % (json.length + 1);
        const text = json.slice(0, at) + damage + json.slice(at + 1);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid)
          expect(refusal(text)).toMatch(
            /^(This is not valid JSON: [a-z {}\],]+ at (the end, )?|The same key stands twice in one object at )line \d+, column \d+\.$/,
          );
      },
    ),
  );
});
