/** The types of exercise. In their own file, so that the companion page loads no field definitions. */
export const exerciseTypes = ['stretch', 'strengthening'] as const;
