import { expect, test } from 'vitest';
import { wrappedText } from './wrapped-text.js';

test('lines break at spaces and keep to the width; a longer word has a line of its own', () => {
  expect(wrappedText('one two three', 7)).toBe('one two\nthree');
  expect(wrappedText('a extraordinary b', 5)).toBe('a\nextraordinary\nb');
});
