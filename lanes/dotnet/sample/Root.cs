namespace Typed
{
    // No generated type has an underscore within its name.
    public static class Lane_Root
    {
        public static readonly System.Type Type = typeof(Root);
    }
}
