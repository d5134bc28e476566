/** The types of exercise; apart from the fields of a log, which the page for phones does without. */
export const exerciseTypes = ['stretch', 'strengthening'] as const;
